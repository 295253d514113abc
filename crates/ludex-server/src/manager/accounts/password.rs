//! Passwords: hashed by Argon2id, and only so many at a time.

use std::sync::OnceLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};

use crate::gate::Gate;
use crate::manager::ManagerError;

/// KiB of memory, rounds and lanes, as the OWASP Password Storage Cheat Sheet recommends for Argon2id: 19 MiB, 2, 1.
const COSTS: (u32, u32, u32) = (19 * 1024, 2, 1);
/// The shortest and the longest password, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 10..=256;

/// Works on passwords, so many at a time.
pub(super) struct Passwords {
    gate: Gate,
    /// What a password is compared with where there is none, so that it takes as long.
    decoy: OnceLock<String>,
}

impl Passwords {
    pub(super) fn new(at_once: usize, waiting: usize) -> Self {
        Self { gate: Gate::new(at_once, waiting), decoy: OnceLock::new() }
    }

    fn argon2() -> Result<Argon2<'static>, ManagerError> {
        let (memory, rounds, lanes) = COSTS;
        let params = Params::new(memory, rounds, lanes, None).map_err(|error| failed(&error))?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    /// That a text can be a password.
    pub(super) fn check(password: &str, name: &str) -> Result<(), ManagerError> {
        if !LENGTHS.contains(&password.len()) {
            let text =
                "a password has 10 to 256 bytes; a few words that do not belong together make a good one";
            return Err(ManagerError::Invalid(text.to_owned()));
        }
        if password.to_lowercase().contains(&name.to_ascii_lowercase()) && password.len() < name.len() + 10 {
            let text = "a password is not the name with something beside it";
            return Err(ManagerError::Invalid(text.to_owned()));
        }
        Ok(())
    }

    /// What is kept of a password, in the PHC string format.
    pub(super) fn hash(&self, password: &str) -> Result<String, ManagerError> {
        let _turn = self.turn()?;
        Self::hash_now(password)
    }

    fn hash_now(password: &str) -> Result<String, ManagerError> {
        let hash: PasswordHash =
            Self::argon2()?.hash_password(password.as_bytes()).map_err(|error| failed(&error))?;
        Ok(hash.to_string())
    }

    /// Whether this is the password of which that is kept. Where nothing is, it takes as long to say no.
    pub(super) fn fits(&self, password: &str, kept: Option<&str>) -> Result<bool, ManagerError> {
        let _turn = self.turn()?;
        if self.decoy.get().is_none() {
            // Whoever comes first in a process waits for one more.
            let decoy = Self::hash_now("nobody's password")?;
            self.decoy.get_or_init(|| decoy);
        }
        let compared = kept.or(self.decoy.get().map(String::as_str)).unwrap_or_default();
        // A longer one was never a password.
        let password = if password.len() > *LENGTHS.end() { "" } else { password };
        let fits = Self::argon2()?.verify_password(password.as_bytes(), compared).is_ok();
        Ok(fits && kept.is_some())
    }

    fn turn(&self) -> Result<crate::gate::Turn<'_>, ManagerError> {
        self.gate.enter().map_err(|_| ManagerError::Crowded { what: "people who sign in" })
    }
}

fn failed(error: &dyn std::fmt::Display) -> ManagerError {
    ManagerError::System(std::io::Error::other(format!("a password cannot be hashed: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_fits_what_is_kept_of_it_and_nothing_else() {
        let passwords = Passwords::new(1, 0);
        let kept = passwords.hash("correct horse battery").unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(passwords.fits("correct horse battery", Some(&kept)).unwrap());
        assert!(!passwords.fits("correct horse batterY", Some(&kept)).unwrap());
        assert!(!passwords.fits("nobody's password", None).unwrap(), "no password is opened by none");
        assert!(!passwords.fits("", Some("what is damaged")).unwrap());
    }

    #[test]
    fn too_many_at_once_are_refused_and_not_hashed() {
        let passwords = Passwords::new(1, 0);
        let turn = passwords.turn().unwrap();
        assert!(matches!(passwords.hash("correct horse battery"), Err(ManagerError::Crowded { .. })));
        drop(turn);
        assert!(passwords.turn().is_ok());
    }

    #[test]
    fn passwords_are_long_and_say_more_than_the_name() {
        for wrong in ["short", "AdaLovelace1", &"x".repeat(257)] {
            assert!(Passwords::check(wrong, "adalovelace").is_err(), "{wrong}");
        }
        assert!(Passwords::check("correct horse battery", "ada").is_ok());
    }
}
