//! The paths of all pages.

use super::routes::routes;
use super::{
    account, accounts, administration, api, assets, describe, editor, games, health, home, how_to_play,
    known, library, login, match_list, matches, players, ratings, records, seats, sitting_down, tournaments,
};

routes! {
    "/": get home::show;
    "/quick": post sitting_down::quick;
    "/static/{name}": get assets::get;
    "/login": get login::show, post login::log_in;
    "/logout": post login::log_out;
    "/sign-in": get accounts::sign_in_form, post accounts::sign_in;
    "/sign-in/link": get accounts::link_form, post accounts::use_link;
    "/sign-in/mail": post accounts::send_link;
    "/sign-up": get accounts::sign_up_form, post accounts::sign_up;
    "/sign-out": post accounts::sign_out;
    "/account": get account::show;
    "/account/data": get account::data;
    "/account/delete": post account::delete;
    "/account/mail": post account::change_mail;
    "/account/password": post account::change_password;
    "/account/sessions/{id}/end": post account::end_session;
    "/account/tokens": post account::make_token;
    "/account/tokens/{id}/end": post account::end_token;
    "/administration": get administration::show;
    "/administration/hide": post administration::hide;
    "/administration/show": post administration::show_again;
    "/administration/transfer": post administration::transfer;
    "/administration/accounts": get administration::accounts;
    "/administration/accounts/{name}/role": post administration::set_role;
    "/administration/accounts/{name}/ban": post administration::ban;
    "/administration/accounts/{name}/unban": post administration::unban;
    "/administration/accounts/{name}/delete": post administration::delete;
    "/administration/log": get administration::log;
    "/healthz": get health::healthz;
    "/livez": get health::livez;
    "/readyz": get health::readyz;
    "/metrics": get health::metrics;
    "/api": get api::describe;
    "/games": get library::list, post games::add;
    "/games/new": get games::form;
    "/games/editor": post editor::answer;
    "/games/{name}": get games::show;
    "/games/{name}/rules": get games::rules;
    "/games/{name}/how-to-play": get how_to_play::show;
    "/games/{name}/board.svg": get library::board;
    "/games/{name}/describe": get describe::form, post describe::describe;
    "/players": get players::list, post players::register;
    "/players/{name}": get players::show;
    "/players/{name}/ping": post players::ping;
    "/players/{name}/edit": post players::edit;
    "/players/{name}/secret": post players::set_secret;
    "/players/{name}/retire": post players::retire;
    "/players/{name}/reactivate": post players::reactivate;
    "/matches": get match_list::list, post matches::add;
    "/matches/new": get matches::form;
    "/matches/{id}": get matches::show;
    "/matches/{id}/board.svg": get match_list::board;
    "/matches/{id}/live": get matches::watch;
    "/matches/{id}/join": get seats::invitation, post seats::join;
    "/matches/{id}/replay": get matches::replay;
    "/matches/{id}/record.json": get records::one;
    "/matches/{id}/rematch": post matches::rematch;
    "/matches/{id}/play-on": post sitting_down::play_on;
    "/matches/{id}/abort": post matches::abort;
    "/matches/{id}/seat/{seat}": get seats::show;
    "/matches/{id}/seat/{seat}/key": post seats::renew;
    "/matches/{id}/seat/{seat}/known": get known::show;
    "/matches/{id}/seat/{seat}/live": get seats::watch;
    "/matches/{id}/seat/{seat}/move": post seats::make_move;
    "/matches/{id}/seat/{seat}/say": post seats::say;
    "/ratings": get ratings::list;
    "/records.jsonl": get records::all;
    "/tournaments": get tournaments::list, post tournaments::add;
    "/tournaments/new": get tournaments::form;
    "/tournaments/{id}": get tournaments::show;
    "/tournaments/{id}/live": get tournaments::watch;
    "/tournaments/{id}/records.jsonl": get records::of_tournament;
    "/tournaments/{id}/pause": post tournaments::pause;
    "/tournaments/{id}/resume": post tournaments::resume;
    "/tournaments/{id}/end": get tournaments::ask_end, post tournaments::end;
    "/tournaments/{id}/enter": post tournaments::enter;
    "/tournaments/{id}/strike": post tournaments::strike;
}
