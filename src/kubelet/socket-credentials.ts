import type { Socket } from 'node:net';
import { ChannelCredentials, credentials } from '@grpc/grpc-js';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/**
 * No credentials, but control over the connections that are made with them. grpc-js never closes a connection whose other end
 * accepts it and then stays silent (`Subchannel.unref` leaves a connection attempt alone): with a hanging kubelet,
 * every call would leak one.
 */
export class SocketCredentials extends ChannelCredentials {
  readonly #insecure = credentials.createInsecure();
  readonly #sockets = new Set<Socket>();
  #isDestroyed = false;

  /** Ends all connections, including future ones. */
  destroy(): void {
    this.#isDestroyed = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  override compose(): never {
    throw new Error('calls to the kubelet carry no credentials');
  }

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(...args: Parameters<ChannelCredentials['_createSecureConnector']>): Connector {
    const connector = this.#insecure._createSecureConnector(...args);
    const connect: Connector['connect'] = (socket) => {
      this.#sockets.add(socket);
      if (this.#isDestroyed) socket.destroy();
      return connector.connect(socket);
    };
    return { ...connector, connect };
  }
}
