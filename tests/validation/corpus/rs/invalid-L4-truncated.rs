pub fn join(names: &[String]) -> String {
    names
        .iter()
        .filter(|n| !n.is_empty(
