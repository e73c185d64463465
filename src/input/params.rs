//! The parameters of one pattern while it is read: one value for each name.

use crate::model::{Param, ParamId};

/// Parameters in the order in which they are met.
#[derive(Default)]
pub(super) struct Params {
    list: Vec<Param>,
}

impl Params {
    /// The parameter of a name, made when it is new.
    pub(super) fn named(&mut self, name: &str) -> ParamId {
        if let Some(id) = self.find(name) {
            return id;
        }
        self.list.push(Param { name: name.to_owned(), ..Param::default() });
        ParamId(self.list.len() as u32 - 1)
    }

    /// A parameter of its own, named by its position.
    pub(super) fn fresh(&mut self) -> ParamId {
        let id = ParamId(self.list.len() as u32);
        self.list.push(Param { name: format!("?{}", id.0 + 1), ..Param::default() });
        id
    }

    /// The parameter of a name, if there is one.
    pub(super) fn find(&self, name: &str) -> Option<ParamId> {
        self.list.iter().position(|it| it.name == name).map(|at| ParamId(at as u32))
    }

    /// All parameters, by id.
    pub(super) fn into_list(self) -> Vec<Param> {
        self.list
    }

    /// A parameter, to be filled in.
    pub(super) fn get_mut(&mut self, id: ParamId) -> &mut Param {
        &mut self.list[id.0 as usize]
    }
}
