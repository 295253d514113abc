mod clingo;
mod games;
mod oracle;
mod programs;
mod text;
