/** TLS before the bytes of a connection: TLS 1.2 or newer, HTTP/2 or HTTP/1.1 by ALPN, client certificates where asked. */
import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type TlsOptions } from "node:tls";

/** All in PEM. */
export interface RpcCertificate {
  /** With those that signed it behind it. */
  readonly cert: string;
  readonly key: string;
  /** Who signs the certificates of callers; with it a caller without one of theirs is refused in the handshake. */
  readonly clientCa?: string | undefined;
}

/** Agrees on keys with callers. */
export interface SecureConnections {
  begin(socket: Socket): void;
  /** Handshakes from now on use another certificate; open connections go on. */
  renew(certificate: RpcCertificate): void;
  /** Closes connections whose handshake has not ended. */
  destroyWaiting(): void;
}

/** `take` gets each connection after its handshake; one that has not ended it within `handshakeMs`, whatever it sent, is cut off. */
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

  // It has no port; connections come by `begin`, and are known by their peer again when their handshake has ended.
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
