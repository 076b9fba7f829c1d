struct Loader {
    func load(_ path: String) -> String {
        return String(path.split(separator: "/"
