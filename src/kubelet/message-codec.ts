import type protobuf from 'protobufjs/light.js';

export interface MessageCodec<Message> {
  encode(message: Message): Buffer;
  /** Absent lists and texts become empty; undescribed fields are skipped. @throws if the bytes are not such a message */
  decode(bytes: Uint8Array): Message;
}

/** The codec of one message in a definition. The definition makes it a Message: TypeScript cannot see that. */
export function codecOf<Message extends object>(definition: protobuf.Root, name: string): MessageCodec<Message> {
  const type = definition.lookupType(name);
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { arrays: true, defaults: true }) as Message,
  };
}
