import { connect } from 'node:net';

/** Whether a process listens on a Unix socket. Only a refusal proves that none does: one that is stopped, or has a full queue, is still there. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', (error) =>
      resolve(!('code' in error) || (error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')),
    );
  });
}
