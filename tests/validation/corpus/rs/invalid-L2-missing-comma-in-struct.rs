struct User {
    id: u64
    name: String,
}
