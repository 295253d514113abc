//! Whether what players were told fits together, and fits what is written.

use ludex::matches::message::{Last, Request, match_key};

use super::disk::{Disk, Kept};
use super::stub::{Story, Stubs};

/// What somebody was told last.
#[derive(Debug)]
struct Told<'a> {
    life: usize,
    /// 0 for the start message, then one more than there were steps.
    position: usize,
    request: &'a Request,
}

/// What is to be expected of stories.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// The last life has ended everything: nobody may be left waiting.
    pub all_is_over: bool,
    /// A server may be lost at any moment and another one go on, so that a message may come again at any moment.
    pub several_servers: bool,
}

/// Checks all stories against the disk.
///
/// # Errors
/// What somebody was told and should not have been, or the other way round.
pub fn check(stubs: &Stubs, disk: &Disk, expected: Expected) -> Result<(), String> {
    if let Some(rubbish) = stubs.rubbish().first() {
        return Err(format!("a player was sent {rubbish}"));
    }
    let kept = |id: &str| disk.matches.iter().find(|(key, _)| match_key(key) == id).map(|(_, kept)| kept);
    for (id, stories) in stubs.stories() {
        let kept = kept(&id).ok_or_else(|| format!("players were told of match {id}, which is not there"))?;
        for story in stories {
            let found = follow(&story, kept, expected.several_servers)
                .and_then(|()| end(&story, kept, expected.all_is_over));
            found.map_err(|why| format!("match {id}, {}: {why}\n{}", story.player, tell(&story)))?;
        }
    }
    Ok(())
}

fn tell(story: &Story) -> String {
    let line = |heard: &super::stub::Heard| {
        let text = match &heard.request {
            Request::Start(start) => format!("start as {}", start.role),
            request => format!("{request:?}"),
        };
        format!("  life {}: {text} -> {}", heard.life, heard.answer)
    };
    story.messages.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A story goes on by one message at a time. A message comes again in another life only, and only the last.
fn follow(story: &Story, kept: &Kept, several_servers: bool) -> Result<(), String> {
    let seat = kept.players().iter().position(|player| *player == story.player).ok_or("it has no seat")?;
    let steps = kept.steps();
    let mut last: Option<Told<'_>> = None;
    for heard in &story.messages {
        let request = &heard.request;
        let position = match request {
            Request::Start(_) => 0,
            Request::Play { last, .. } | Request::Stop { last, .. } => 1 + step_of(last, &steps, seat)?,
            // Who is told that a match is aborted may not even know of it.
            Request::Abort { .. } => last.as_ref().map_or(0, |told| told.position + 1),
            _ => return Err(format!("no message of a match: {request:?}")),
        };
        if let Some(told) = &last {
            let is_same = *request == *told.request;
            let over = matches!(told.request, Request::Stop { .. } | Request::Abort { .. });
            let next = position == told.position + 1 && !over;
            let again = is_same && (several_servers || heard.life > told.life);
            if !next && !again {
                return Err(format!("after {:?} of life {} came {request:?}", told.request, told.life));
            }
        } else if !matches!(request, Request::Start(_) | Request::Abort { .. }) {
            return Err(format!("its first message is {request:?}"));
        }
        last = Some(Told { life: heard.life, position, request });
    }
    answers_count(story, &steps, seat)
}

/// After how many steps a message can have been sent. What it tells must be written.
fn step_of(last: &Last, steps: &[&Vec<String>], seat: usize) -> Result<usize, String> {
    let unwritten = || format!("{last:?} is not written");
    match last {
        Last::Nothing => Ok(0),
        Last::InTime { .. } => Err("tic-tac-toe does not go on in time".to_owned()),
        // No step of tic-tac-toe is there twice.
        Last::Joint(joint) => {
            steps.iter().position(|step| **step == **joint).map(|at| at + 1).ok_or_else(unwritten)
        }
        Last::Percepts { turn, action, .. } => {
            let turn = *turn as usize;
            let written = turn.checked_sub(1).map(|at| steps.get(at).and_then(|step| step.get(seat)));
            match written {
                None => Ok(0),
                Some(written) if written.is_some() && written == action.as_ref() => Ok(turn),
                Some(_) => Err(unwritten()),
            }
        }
    }
}

/// Each move that is written was an answer to the message that asked for it.
fn answers_count(story: &Story, steps: &[&Vec<String>], seat: usize) -> Result<(), String> {
    for (at, step) in steps.iter().enumerate() {
        let asked = |request: &Request| match request {
            Request::Play { last, .. } => step_of(last, steps, seat) == Ok(at),
            _ => false,
        };
        let mut answers =
            story.messages.iter().filter(|heard| asked(&heard.request)).map(|heard| &heard.answer);
        let own = step.get(seat);
        if !answers.any(|answer| Some(answer) == own) {
            return Err(format!("step {} has {own:?}, which it never said", at + 1));
        }
    }
    Ok(())
}

/// Whoever knew of a match knows of its end, once everything is over.
fn end(story: &Story, kept: &Kept, all_is_over: bool) -> Result<(), String> {
    let told = story.messages.last().map(|heard| &heard.request);
    let knows = matches!(told, Some(Request::Stop { .. } | Request::Abort { .. }));
    let aborted = matches!(told, Some(Request::Abort { .. }));
    if knows && !kept.has_ended() && !(aborted && kept.is_to_be_given_up()) {
        return Err("it was told an end that is not written".to_owned());
    }
    if all_is_over && !knows {
        return Err("it was never told the end".to_owned());
    }
    Ok(())
}
