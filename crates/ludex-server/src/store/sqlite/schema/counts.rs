//! What lists and pages say of many matches is counted when it changes, and not when somebody asks: triggers do it, so that
//! copies are counted, too.

/// A step from the tables before to those with counts.
pub(in crate::store::sqlite) const COUNTS: &str = "
CREATE TABLE match_counts (
    game TEXT NOT NULL,
    stage TEXT NOT NULL,
    matches INTEGER NOT NULL,
    PRIMARY KEY (game, stage)
) STRICT, WITHOUT ROWID;
INSERT INTO match_counts SELECT game, stage, count(*) FROM matches GROUP BY game, stage;

CREATE TRIGGER new_match_is_counted AFTER INSERT ON matches BEGIN
    INSERT INTO match_counts VALUES (new.game, new.stage, 1)
        ON CONFLICT (game, stage) DO UPDATE SET matches = matches + 1;
END;
CREATE TRIGGER changed_match_is_counted AFTER UPDATE OF stage ON matches WHEN old.stage <> new.stage BEGIN
    UPDATE match_counts SET matches = matches - 1 WHERE game = old.game AND stage = old.stage;
    INSERT INTO match_counts VALUES (new.game, new.stage, 1)
        ON CONFLICT (game, stage) DO UPDATE SET matches = matches + 1;
END;
CREATE TRIGGER gone_match_is_counted AFTER DELETE ON matches BEGIN
    UPDATE match_counts SET matches = matches - 1 WHERE game = old.game AND stage = old.stage;
END;

-- Of matches that are over. One in which somebody has several seats counts once; all else counts for each seat.
CREATE TABLE player_totals (
    player TEXT NOT NULL COLLATE NOCASE,
    matches INTEGER NOT NULL,
    aborted INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    -- The sum of the goals in matches that were completed, and of how many seats.
    goals INTEGER NOT NULL,
    goal_seats INTEGER NOT NULL,
    late INTEGER NOT NULL,
    illegal INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (player)
) STRICT, WITHOUT ROWID;
CREATE VIEW seats_of_matches_over AS
    SELECT s.match, s.seat, s.player, m.steps,
        NOT EXISTS (SELECT 1 FROM match_seats o WHERE o.match = s.match AND o.seat < s.seat AND o.player = s.player)
            AS is_first,
        m.stage = 'aborted' AS is_aborted,
        CASE WHEN m.stage = 'completed' THEN coalesce(s.goal, 0) END AS goal,
        s.late, s.illegal, s.failed
    FROM match_seats s JOIN matches m ON m.id = s.match WHERE m.stage IN ('completed', 'aborted');
INSERT INTO player_totals
    SELECT player, sum(is_first), sum(is_first AND is_aborted), sum(steps), coalesce(sum(goal), 0), count(goal),
        sum(late), sum(illegal), sum(failed)
    FROM seats_of_matches_over GROUP BY player;

CREATE TRIGGER match_over_is_counted AFTER UPDATE OF stage ON matches
    WHEN new.stage IN ('completed', 'aborted') AND old.stage NOT IN ('completed', 'aborted') BEGIN
    INSERT INTO player_totals
        SELECT player, sum(is_first), sum(is_first AND is_aborted), sum(steps), coalesce(sum(goal), 0), count(goal),
            sum(late), sum(illegal), sum(failed)
        FROM seats_of_matches_over WHERE match = new.id GROUP BY player
        ON CONFLICT (player) DO UPDATE SET matches = matches + excluded.matches, aborted = aborted + excluded.aborted,
            steps = steps + excluded.steps, goals = goals + excluded.goals,
            goal_seats = goal_seats + excluded.goal_seats, late = late + excluded.late,
            illegal = illegal + excluded.illegal, failed = failed + excluded.failed;
END;
CREATE TRIGGER seat_of_match_over_is_counted AFTER INSERT ON match_seats
    WHEN EXISTS (SELECT 1 FROM matches WHERE id = new.match AND stage IN ('completed', 'aborted')) BEGIN
    INSERT INTO player_totals
        SELECT player, is_first, is_first AND is_aborted, steps, coalesce(goal, 0), goal IS NOT NULL, late, illegal,
            failed
        FROM seats_of_matches_over WHERE match = new.match AND seat = new.seat
        ON CONFLICT (player) DO UPDATE SET matches = matches + excluded.matches, aborted = aborted + excluded.aborted,
            steps = steps + excluded.steps, goals = goals + excluded.goals,
            goal_seats = goal_seats + excluded.goal_seats, late = late + excluded.late,
            illegal = illegal + excluded.illegal, failed = failed + excluded.failed;
END;

-- Matches of a tournament come in order, too.
DROP INDEX IF EXISTS matches_by_tournament;
CREATE INDEX matches_by_tournament ON matches (tournament, created DESC, id DESC) WHERE tournament IS NOT NULL;
";
