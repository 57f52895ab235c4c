// swift-tools-version: 6.3
import PackageDescription

/// As in Rill's own package, whose files these are.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, _ dependencies: Target.Dependency..., sources: [String]? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Modules/\(name)", sources: sources,
        swiftSettings: settings + [.define("Server")], linkerSettings: [.linkedLibrary("m")])
}

// The database of chats, measured by `Scripts/bench chat`: the same files, by links, without the server around them,
// whose packages take ten minutes to compile.
let package = Package(
    name: "rill-store",
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
    targets: [
        module("RillBytes"),
        module("RillCore", "RillBytes"),
        module("RillRooms", "RillCore"),
        module(
            "RillServer", "RillCore", "RillRooms", .product(name: "GRDB", package: "GRDB.swift"),
            sources: [
                "ServerError.swift", "Store/RoomDatabase.swift", "Store/RoomDatabaseSettings.swift",
                "Store/RoomSchema.swift", "Store/ChatWriter.swift", "Store/ChatReader.swift",
                "Store/ChatRetention.swift", "Store/ChatImages.swift", "Store/Images/ImageLimits.swift",
                "Store/Images/StoredFile.swift",
            ]),
        .executableTarget(
            name: "bench-chat",
            dependencies: ["RillCore", "RillRooms", "RillServer", .product(name: "GRDBSQLite", package: "GRDB.swift")],
            path: "Chat", swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
