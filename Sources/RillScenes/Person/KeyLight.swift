/// The light in the room: a large window at the upper left in front of the person, and the wall that reflects some of
/// it.
enum KeyLight {
    /// The unit direction of the window from the person: left, up and in front.
    static let direction = unit(-0.50, -0.55, 0.68)
    private static let fill = unit(0.75, -0.05, 0.55)
    private static let halfway = unit(direction.x, direction.y, direction.z + 1)

    /// Returns the light on skin with the given normal: three primaries, and the gloss. About 1 where it faces the
    /// camera.
    ///
    /// - Parameters:
    ///   - normal: the unit normal of the surface.
    ///   - shadow: the share of the window that is blocked, 0 to 1.
    ///   - hollow: the depth of the position in a hollow (head heights).
    static func shading(normal: SIMD3<Float>, shadow: Float, hollow: Float) -> SIMD4<Float> {
        let towards = dot(normal, direction)
        // Light travels some way under the skin and emerges again, red farther than blue: a red seam along the
        // shadow.
        let reach = RGB(0.34, 0.24, 0.20)
        let wrapped = ((reach + towards) / (reach + 1)).replacing(with: 0, where: reach + towards .< 0)
        let open = 1 - RGB(0.60, 0.69, 0.72) * shadow
        let key = wrapped * open * 0.86
        let fillLight = RGB(1.03, 1.0, 0.96) * (max(0, dot(normal, fill)) * 0.15)
        let above = 0.5 - 0.5 * normal.y
        // Ambient light also reflects off the person, and is as warm as skin.
        let ambient = RGB(1.13, 0.97, 0.88) * (0.15 + 0.12 * above)
        let openness = 1 / (1 + 19 * hollow)
        // The little light in a hollow is red from its walls.
        let occlusion = RGB(openness.squareRoot(), openness, openness * 0.96) * 0.7 + openness * 0.3
        var light = (key + fillLight + ambient) * occlusion
        // Where there is little light, more of it has passed through skin or cloth.
        light *= mix(RGB(1.07, 0.955, 0.89), .clear, bounded(light.y))
        var gloss = max(0, dot(normal, halfway))
        for _ in 0..<4 { gloss *= gloss }
        return SIMD4(light, gloss * (1 - shadow) * openness)
    }

    private static func unit(_ x: Float, _ y: Float, _ z: Float) -> SIMD3<Float> {
        let v = SIMD3(x, y, z)
        return v / dot(v, v).squareRoot()
    }
}
