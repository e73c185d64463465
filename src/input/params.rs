//! The parameters of one pattern while its statements are read.

use std::collections::BTreeMap;

use crate::model::{Param, ParamId};

/// Parameters by name; those of one name are one parameter in the whole pattern.
#[derive(Debug, Default)]
pub(super) struct Params {
    list: Vec<Param>,
    by_name: BTreeMap<String, ParamId>,
    /// Placeholders without a name so far.
    unnamed: u32,
}

impl Params {
    /// The parameter of a name (without its mark), made when it is new.
    pub(super) fn named(&mut self, name: &str) -> ParamId {
        if let Some(id) = self.find(name) {
            return id;
        }
        let id = ParamId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(Param { name: name.to_owned(), ..Param::default() });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// A parameter of its own for a placeholder without a name (`?`, `%s`): `?1`, `?2`, ….
    pub(super) fn fresh(&mut self) -> ParamId {
        self.unnamed += 1;
        let name = format!("?{}", self.unnamed);
        self.named(&name)
    }

    /// The parameter of a name, if there is one.
    pub(super) fn find(&self, name: &str) -> Option<ParamId> {
        self.by_name.get(name).copied()
    }

    /// The parameter of an id made here.
    ///
    /// # Panics
    ///
    /// For an id of another pattern.
    pub(super) fn get_mut(&mut self, id: ParamId) -> &mut Param {
        &mut self.list[id.0 as usize]
    }

    /// All names, in order of first use.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|it| it.name.as_str())
    }

    /// The parameters in order of first use.
    pub(super) fn into_list(self) -> Vec<Param> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_one_parameter_and_every_question_mark_another() {
        let mut params = Params::default();
        let c = params.named("c");
        assert_eq!(params.named("c"), c);
        let (first, second) = (params.fresh(), params.fresh());
        assert_ne!(first, second);
        assert_eq!(params.find("?2"), Some(second));
        assert_eq!(params.find("d"), None);
        let names: Vec<String> = params.into_list().into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["c", "?1", "?2"]);
    }
}
