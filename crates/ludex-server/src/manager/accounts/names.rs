//! What names of accounts and addresses of mail are like. Both stand in pages, headers and letters, so what could mean
//! anything there is refused.

use crate::manager::ManagerError;
use crate::model::ACCOUNT_NAME;

/// Names that would say something wrong of who has them: players of everybody, and roles.
const RESERVED: [&str; 9] =
    ["random", "guest", "friend", "visitor", "organiser", "organizer", "administrator", "admin", "moderator"];

/// The longest address of mail, in bytes (RFC 5321, 4.5.3.1.3).
const MAIL: usize = 254;

/// That a text can be the name of an account. Letters are ASCII, so that no name looks like another.
pub(super) fn check_name(name: &str) -> Result<(), ManagerError> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let reserved = RESERVED.iter().any(|taken| name.eq_ignore_ascii_case(taken));
    if begins && letters && (2..=ACCOUNT_NAME).contains(&name.len()) && !reserved {
        return Ok(());
    }
    let rule = "letters of ASCII, digits, hyphens and underscores, 2 to 32, a letter first; and none that everybody is \
                called, such as `guest` or `admin`";
    Err(ManagerError::Name { what: "account", name: super::shown(name), rule })
}

/// An address of mail, checked; none where nothing is given.
pub(super) fn check_mail(text: &str) -> Result<Option<String>, ManagerError> {
    let text = text.trim_matches(' ');
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || ManagerError::Invalid("this is no address of mail that can be used".to_owned());
    let (local, domain) = text.rsplit_once('@').ok_or_else(wrong)?;
    // What may stand in an address without quotes (RFC 5322, 3.2.3): nothing that ends a header or begins another address.
    let local_sign = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-.".contains(c);
    let domain_sign = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let is_fine = !local.is_empty()
        // A program that sends mail could take it for an option.
        && !local.starts_with('-')
        && local.chars().all(local_sign)
        && domain.starts_with(|c: char| c.is_ascii_alphanumeric())
        && domain.ends_with(|c: char| c.is_ascii_alphanumeric())
        && domain.chars().all(domain_sign)
        && text.len() <= MAIL;
    if is_fine { Ok(Some(text.to_owned())) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_looks_like_another_or_means_anything_elsewhere() {
        for name in ["ada", "Ada-Lovelace_2", "xx", &"x".repeat(32)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "x".repeat(33);
        let wrong = [
            "",
            "x",
            "1ada",
            "-ada",
            "аda",
            "ada\u{200b}",
            "ada ",
            " ada",
            "a da",
            "ada\n",
            "a/b",
            "a.b",
            "<b>",
            "ada\0",
            "ＡＤＡ",
            "Guest",
            "ADMIN",
            "random",
            &long,
        ];
        for name in wrong {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn addresses_of_mail_cannot_bring_headers_or_more_addresses() {
        for mail in ["ada@example.org", "a.b+c@mail.example.org", "x@localhost", " ada@example.org "] {
            assert_eq!(check_mail(mail).unwrap().as_deref(), Some(mail.trim()));
        }
        assert_eq!(check_mail("").unwrap(), None);
        let long = format!("{}@example.org", "x".repeat(300));
        let wrong = [
            "ada",
            "@example.org",
            "ada@",
            "ada@example.org\r\nBcc: all@example.org",
            "ada@example.org\nX: y",
            "ada@example.org, eve@example.org",
            "\"ada\"@example.org",
            "<ada@example.org>",
            "ada@exa mple.org",
            "ada@example.org\0",
            "ada\t@example.org",
            "ada@-x.org",
            "-oQ/tmp@example.org",
            "ädä@example.org",
            "ada@[127.0.0.1]",
            "a@b@c\r.org",
            &long,
        ];
        for mail in wrong {
            assert!(check_mail(mail).is_err(), "{mail:?}");
        }
    }
}
