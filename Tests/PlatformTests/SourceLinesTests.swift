import Platform
import Testing

/// Tests of the source locations of addresses.
@Suite struct SourceLinesTests {
  @Test(arguments: ["/nowhere", "/dev/null", "it's not; true '", #filePath])
  func `an address in a file without instructions has no source location`(_ path: String) {
    #expect(SourceLines(of: path, [1, 4096]).place(of: 4096) == nil)
  }
}
