@propertyWrapper
struct Clamped {
    private var value: Int
    let range: ClosedRange<Int>
    init(wrappedValue: Int, _ range: ClosedRange<Int>) {
        self.range = range
        value = min(max(wrappedValue, range.lowerBound), range.upperBound)
    }
    var wrappedValue: Int {
        get { value }
        set { value = min(max(newValue, range.lowerBound), range.upperBound) }
    }
}

struct Volume {
    @Clamped(0...10) var level: Int = 5
}

#if os(macOS) || DEBUG
import Foundation
#endif
@available(iOS 17, macOS 14, *)
@discardableResult func mute() -> Bool { if #available(iOS 18, *) { return true }; return false }
