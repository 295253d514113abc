//! What lists and pages say of many matches is counted when it changes, and not when somebody asks: triggers do it, so that
//! copies are counted, too. Rows are counted in the order of their keys, so that two servers never wait for each other.

/// A step from the tables before to those with counts.
pub(in crate::store::postgres) const COUNTS: &str = r#"
CREATE TABLE match_counts (
    game TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    matches BIGINT NOT NULL,
    PRIMARY KEY (game, stage)
);
INSERT INTO match_counts SELECT game, stage, count(*) FROM matches GROUP BY game, stage;

-- Of matches that are over. One in which somebody has several seats counts once; all else counts for each seat.
CREATE TABLE player_totals (
    -- In small letters.
    player TEXT COLLATE "C" PRIMARY KEY,
    matches BIGINT NOT NULL,
    aborted BIGINT NOT NULL,
    steps BIGINT NOT NULL,
    -- The sum of the goals in matches that were completed, and of how many seats.
    goals BIGINT NOT NULL,
    goal_seats BIGINT NOT NULL,
    late BIGINT NOT NULL,
    illegal BIGINT NOT NULL,
    failed BIGINT NOT NULL
);
CREATE VIEW seats_of_matches_over AS
    SELECT s.match, s.seat, lower(s.player) AS player, m.steps,
        NOT EXISTS (SELECT 1 FROM match_seats o
            WHERE o.match = s.match AND o.seat < s.seat AND lower(o.player) = lower(s.player)) AS is_first,
        m.stage = 'aborted' AS is_aborted,
        CASE WHEN m.stage = 'completed' THEN coalesce(s.goal, 0) END AS goal,
        s.late, s.illegal, s.failed
    FROM match_seats s JOIN matches m ON m.id = s.match WHERE m.stage IN ('completed', 'aborted');
INSERT INTO player_totals
    SELECT player, count(*) FILTER (WHERE is_first), count(*) FILTER (WHERE is_first AND is_aborted),
        sum(steps)::bigint, coalesce(sum(goal), 0)::bigint, count(goal), sum(late)::bigint, sum(illegal)::bigint,
        sum(failed)::bigint
    FROM seats_of_matches_over GROUP BY player;

CREATE FUNCTION count_new_matches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO match_counts AS c (game, stage, matches)
        SELECT n.game, n.stage, count(*) FROM new_matches n GROUP BY n.game, n.stage ORDER BY n.game, n.stage
        ON CONFLICT (game, stage) DO UPDATE SET matches = c.matches + EXCLUDED.matches;
    RETURN NULL;
END $$;
CREATE TRIGGER new_matches_are_counted AFTER INSERT ON matches REFERENCING NEW TABLE AS new_matches
    FOR EACH STATEMENT EXECUTE FUNCTION count_new_matches();

CREATE FUNCTION count_gone_matches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO match_counts AS c (game, stage, matches)
        SELECT g.game, g.stage, -count(*) FROM gone_matches g GROUP BY g.game, g.stage ORDER BY g.game, g.stage
        ON CONFLICT (game, stage) DO UPDATE SET matches = c.matches + EXCLUDED.matches;
    RETURN NULL;
END $$;
CREATE TRIGGER gone_matches_are_counted AFTER DELETE ON matches REFERENCING OLD TABLE AS gone_matches
    FOR EACH STATEMENT EXECUTE FUNCTION count_gone_matches();

CREATE FUNCTION count_changed_match() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO match_counts AS c (game, stage, matches)
        SELECT v.game, v.stage, v.matches
        FROM (VALUES (OLD.game, OLD.stage, -1::bigint), (NEW.game, NEW.stage, 1::bigint)) v (game, stage, matches)
        ORDER BY v.game, v.stage
        ON CONFLICT (game, stage) DO UPDATE SET matches = c.matches + EXCLUDED.matches;
    IF NEW.stage IN ('completed', 'aborted') AND OLD.stage NOT IN ('completed', 'aborted') THEN
        INSERT INTO player_totals AS t
            SELECT o.player, count(*) FILTER (WHERE o.is_first), count(*) FILTER (WHERE o.is_first AND o.is_aborted),
                sum(o.steps)::bigint, coalesce(sum(o.goal), 0)::bigint, count(o.goal), sum(o.late)::bigint,
                sum(o.illegal)::bigint, sum(o.failed)::bigint
            FROM seats_of_matches_over o WHERE o.match = NEW.id GROUP BY o.player ORDER BY o.player
            ON CONFLICT (player) DO UPDATE SET matches = t.matches + EXCLUDED.matches,
                aborted = t.aborted + EXCLUDED.aborted, steps = t.steps + EXCLUDED.steps,
                goals = t.goals + EXCLUDED.goals, goal_seats = t.goal_seats + EXCLUDED.goal_seats,
                late = t.late + EXCLUDED.late, illegal = t.illegal + EXCLUDED.illegal,
                failed = t.failed + EXCLUDED.failed;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER changed_match_is_counted AFTER UPDATE OF stage ON matches FOR EACH ROW
    WHEN (OLD.stage IS DISTINCT FROM NEW.stage) EXECUTE FUNCTION count_changed_match();

CREATE FUNCTION count_new_seats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO player_totals AS t
        SELECT o.player, count(*) FILTER (WHERE o.is_first), count(*) FILTER (WHERE o.is_first AND o.is_aborted),
            sum(o.steps)::bigint, coalesce(sum(o.goal), 0)::bigint, count(o.goal), sum(o.late)::bigint,
            sum(o.illegal)::bigint, sum(o.failed)::bigint
        FROM new_seats n JOIN seats_of_matches_over o ON o.match = n.match AND o.seat = n.seat
        GROUP BY o.player ORDER BY o.player
        ON CONFLICT (player) DO UPDATE SET matches = t.matches + EXCLUDED.matches,
            aborted = t.aborted + EXCLUDED.aborted, steps = t.steps + EXCLUDED.steps,
            goals = t.goals + EXCLUDED.goals, goal_seats = t.goal_seats + EXCLUDED.goal_seats,
            late = t.late + EXCLUDED.late, illegal = t.illegal + EXCLUDED.illegal,
            failed = t.failed + EXCLUDED.failed;
    RETURN NULL;
END $$;
CREATE TRIGGER new_seats_are_counted AFTER INSERT ON match_seats REFERENCING NEW TABLE AS new_seats
    FOR EACH STATEMENT EXECUTE FUNCTION count_new_seats();

-- Matches of a tournament come in order, too.
DROP INDEX IF EXISTS matches_by_tournament;
CREATE INDEX matches_by_tournament ON matches (tournament, created DESC, id DESC) WHERE tournament IS NOT NULL;
"#;
