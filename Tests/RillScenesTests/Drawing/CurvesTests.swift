import Glibc
import Testing

@testable import RillScenes

struct CurvesTests {
    @Test func `The sine agrees with the library`() {
        for step in -400...400 {
            let turns = Double(step) / 97
            #expect(abs(Double(sine(turns: turns)) - sin(2 * .pi * turns)) < 0.002, "\(turns) turns")
        }
    }

    @Test func `Turns agree with the library`() {
        for step in 0..<360 {
            let angle = (Double(step) + 0.5) / 360 * 2 * .pi
            let direction = Point(Float(sin(angle)), Float(-cos(angle))) * 3
            #expect(abs(Double(turns(of: direction)) - angle / (2 * .pi)) < 0.00002, "\(step) degrees")
        }
    }

    @Test func `A profile passes through its values without a jump`() {
        let values: [Float] = [0, 3, 1, 1, 5]
        let profile = Profile(2...4, values)
        for (index, value) in values.enumerated() { #expect(abs(profile(2 + 0.5 * Float(index)) - value) < 1e-5) }
        #expect(profile(-10) == 0 && profile(10) == 5)
        var last = profile(2)
        for step in 1...1000 {
            let next = profile(2 + Float(step) * 0.002)
            #expect(abs(next - last) < 0.03, "at step \(step)")
            last = next
        }
    }

    @Test func `Ramp and bell start and end flat`() {
        #expect(ramp(1, 3, 0) == 0 && ramp(1, 3, 2) == 0.5 && ramp(1, 3, 4) == 1)
        #expect(ramp(3, 1, 0) == 1 && ramp(3, 1, 4) == 0)
        #expect(ramp(1, 3, 1.001) < 0.00001 && ramp(1, 3, 2.999) > 0.99999)
        #expect(bell(0) == 1 && bell(1) == 0 && bell(2) == 0 && bell(0.999) < 0.00001)
    }

    @Test func `Noise is smooth even across zero`() {
        let noise = ValueNoise(seed: 5, 1)
        var values: [Double] = []
        var last = noise(Point(-20, 0.37))
        for step in 1...4000 {
            let next = noise(Point(-20 + Float(step) * 0.01, 0.37))
            #expect(abs(next - last) < 0.035, "at step \(step)")
            values.append(Double(next))
            last = next
        }
        #expect(values.min()! < -0.5 && values.max()! > 0.5 && values.allSatisfy { abs($0) <= 1 })
        #expect(noise(Point(3.3, 4.4)) != ValueNoise(seed: 6, 1)(Point(3.3, 4.4)))
        #expect(noise(Point(3.3, 4.4)) != ValueNoise(seed: 5, 2)(Point(3.3, 4.4)))
    }
}
