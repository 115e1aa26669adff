import Instruments
import LabTesting
import Testing

@Suite struct InheritedDescriptorsTests {
  @Test func `what fails in a process that closed what it inherited is told`() async {
    await withKnownIssue {
      await #expect(processExitsWith: .success) {
        closeInheritedDescriptors()
        #expect(Bool(false))
      }
    }
  }
}
