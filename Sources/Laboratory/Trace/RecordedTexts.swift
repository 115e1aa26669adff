import Platform

/// The fragments of texts that have not been completed. A thread writes the fragments of a text after the event that
/// the text belongs to.
struct RecordedTexts {
  private var open: [Int: (event: RecordedEvent, bytes: [UInt8])] = [:]

  /// Reads an event. If `event` completes a text, returns the text and the event that the text belongs to; otherwise
  /// returns nil.
  mutating func read(_ event: RecordedEvent) -> (of: RecordedEvent, text: String)? {
    switch event.kind {
    case .queue, .module, .image: open[event.thread] = event.count > 0 ? (event, []) : nil
    case .text:
      guard var part = open[event.thread] else { return nil }
      part.bytes += event.bytes
      guard part.bytes.count >= part.event.count * 16 else {
        open[event.thread] = part
        return nil
      }
      open[event.thread] = nil
      return (part.event, String(decoding: part.bytes.filter { $0 != 0 }, as: UTF8.self))
    default: break
    }
    return nil
  }
}
