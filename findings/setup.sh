# What the scripts of this folder share: packages of one exact version, unpacked into a temporary folder, and a network
# of their own. Nothing is installed. Needs root (for the namespaces), Debian 12 on amd64, apt-get, iproute2, python3,
# and the libraries that the browser's package depends on (`apt-get install chromium firefox-esr` brings them).

[ "$(id -u)" = 0 ] || { echo "needs root, for a network namespace" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# unpack PACKAGE=VERSION…: ends with 2 where the archive has that version no more.
unpack() {
    (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download "$@") || {
        echo "the archive has no $*: set the version to one that it has, or take it from snapshot.debian.org" >&2
        exit 2
    }
    for file in "$folder"/*.deb; do dpkg-deb -x "$file" "$folder"; done
    echo "packages: $*"
}

# alone COMMAND…: runs it for at most 60 s in new namespaces, with loopback, 10.99.0.1 on the link v0, and a default
# route to nowhere. All processes in it end with it.
alone() {
    TMPDIR=$folder timeout --kill-after=2 60 unshare --net --pid --fork --kill-child --mount --mount-proc sh -c '
        ip link set lo up
        ip link add v0 type veth peer name v1
        ip link set v1 up
        ip link set v0 up
        ip address add 10.99.0.1/24 dev v0
        ip route add default via 10.99.0.254
        exec "$@"' sh "$@"
}
