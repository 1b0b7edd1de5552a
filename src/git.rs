//! The one door to git: the program `git`, asked for what it knows and told what to commit.
