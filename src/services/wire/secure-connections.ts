/** TLS before the bytes of a connection: TLS 1.2 or newer, HTTP/2 or HTTP/1.1 by ALPN, client certificates where asked. */
import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type TlsOptions } from "node:tls";

/** All in PEM. */
export interface RpcCertificate {
  /** Followed by the certificates that signed it. */
  readonly cert: string;
  readonly key: string;
  /**
   * The authority of callers' certificates; with it, a caller without such a certificate is refused in the handshake.
   */
  readonly clientCa?: string | undefined;
}

/** Does the TLS handshake with callers. */
export interface SecureConnections {
  begin(socket: Socket): void;
  /** Uses another certificate for new handshakes; open connections continue. */
  renew(certificate: RpcCertificate): void;
  /** Closes connections whose handshake has not ended. */
  destroyWaiting(): void;
}

/**
 * Passes each connection to `take` after its handshake. A connection that has not ended it within `handshakeMs` is
 * closed, whatever it sent.
 */
export function createSecureConnections(deps: {
  readonly certificate: RpcCertificate;
  readonly handshakeMs: number;
  readonly take: (socket: Socket) => void;
}): SecureConnections {
  const waiting = new Map<string, { readonly socket: Socket; readonly end: () => void }>();
  const options: TlsOptions = {
    ...contextOf(deps.certificate),
    ALPNProtocols: ["h2", "http/1.1"],
    requestCert: deps.certificate.clientCa !== undefined,
    rejectUnauthorized: true,
    handshakeTimeout: deps.handshakeMs,
  };

  // A server without a port; connections come by `begin`, and are found again by their peer after the handshake.
  const server = createServer(options);
  server.on("secureConnection", (socket) => {
    waiting.get(peerOf(socket))?.end();
    deps.take(socket);
  });

  return {
    begin(socket) {
      const peer = peerOf(socket);
      const giveUp = () => socket.destroy();
      const timer = setTimeout(giveUp, deps.handshakeMs);
      const end = () => {
        clearTimeout(timer);
        waiting.delete(peer);
      };
      waiting.set(peer, { socket, end });
      socket.once("close", end).on("error", giveUp);
      server.emit("connection", socket);
    },
    renew(certificate) {
      server.setSecureContext(contextOf(certificate));
    },
    destroyWaiting() {
      for (const { socket } of waiting.values()) socket.destroy();
    },
  };
}

function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function contextOf({ cert, key, clientCa }: RpcCertificate): SecureContextOptions {
  return { cert, key, minVersion: "TLSv1.2", ...(clientCa === undefined ? {} : { ca: clientCa }) };
}
