// A stand-in for the source that the plugin Shelve writes.
enum Shelf {
  static let files: [(name: String, text: String)] = []
}
