import { isIP } from "node:net";

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/;

/**
 * Says whether a request may name `authority` (its Host header, or :authority) as its target.
 *
 * A page of any site can make its own name resolve to 127.0.0.1 and then call a loopback port as if it were its
 * own origin (DNS rebinding). The name in the request gives it away. Loopback names, the host listened on and
 * `allowedHosts` pass, with any port. A listener on all addresses (`0.0.0.0`, `::`) takes IP literals as well:
 * rebinding needs a name.
 *
 * Node's HTTP/2 client writes `::1:8081` for `[::1]:8081`: such an authority may mean either address, and is no name.
 */
export function createHostCheck(host: string, allowedHosts: readonly string[]): (authority: string) => boolean {
  const allowed = new Set(["localhost", ...[host, ...allowedHosts].map((name) => name.toLowerCase())]);
  const anyAddress = host === "0.0.0.0" || host === "::";
  const isAllowed = (name: string) => {
    if (allowed.has(name) || name === "::1") return true;
    const version = isIP(name);
    return (version === 4 && name.startsWith("127.")) || (version !== 0 && anyAddress);
  };
  return (authority) => {
    const bare = [authority, authority.replace(/:\d{1,5}$/, "")].filter((text) => isIP(text) === 6);
    if (bare.length > 0) return bare.some(isAllowed);
    const [, six, name = six, port = "0"] = AUTHORITY.exec(authority.toLowerCase()) ?? [];
    if (name === undefined || Number(port) > 65_535) return false;
    if (six !== undefined && isIP(six) !== 6) return false;
    return isAllowed(name);
  };
}
