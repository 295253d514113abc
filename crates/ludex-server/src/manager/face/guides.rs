//! How games are played, in words.

use ludex::game::sha256;

use super::games::RELEASE;
use super::{Answer, Manager};
use crate::manager::core::Core;
use crate::model::{GameDetail, GameQuery, all_pages};
use crate::preparation::{BundledFeatures, Guide, Rulesheet, bundled_features};

impl Manager {
    /// How a version of a game is played. It is found out once, and kept.
    pub(crate) fn guide(&self, detail: &GameDetail) -> Answer<Guide> {
        self.core().guide(detail)
    }
}

impl Core {
    /// How a version of a game is played, as it is kept or found out.
    pub(in crate::manager) fn guide(&self, detail: &GameDetail) -> Answer<Guide> {
        let (name, version) = (&detail.summary.name, &detail.version.sha256);
        let kept = self.store.guide(name, version, RELEASE)?;
        if let Some(known) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(known);
        }
        let rules = Rulesheet { name: name.clone(), text: detail.text.clone(), sha256: sha256(&detail.text) };
        let guide = self.preparation.guide(rules)?;
        // Plain data with text keys: JSON can always hold it.
        let text = serde_json::to_string(&guide).unwrap_or_default();
        let kept = self.store.keep_guide(name, version, RELEASE, &text);
        if let Err(error) = kept.and_then(|()| self.store.keep_features(name, version, &guide.features)) {
            // It is found out again the next time.
            tracing::warn!(name, %error, "how a game is played cannot be kept");
        }
        Ok(guide)
    }

    /// Notes what tells the games apart that come with Ludex, where that is not known yet.
    pub(super) fn note_bundled_features(&self) -> Answer<()> {
        let games = all_pages(|page| self.store.games(&GameQuery { page, ..GameQuery::default() }))?;
        for BundledFeatures { game, sha256, features } in bundled_features() {
            let is_wanted = games.iter().any(|there| {
                there.name == game && there.version == sha256 && there.features != Some(features)
            });
            if is_wanted {
                self.store.keep_features(&game, &sha256, &features)?;
            }
        }
        Ok(())
    }
}
