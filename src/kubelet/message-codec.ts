import type protobuf from 'protobufjs/light.js';

export interface MessageCodec<Message> {
  encode(message: Message): Buffer;
  /** Absent lists are empty, absent texts too; fields that are not described are skipped. @throws where it is no such message */
  decode(bytes: Uint8Array): Message;
}

/** The codec of one message of a definition, which is what makes it a Message: TypeScript cannot see that. */
export function codecOf<Message extends object>(definition: protobuf.Root, name: string): MessageCodec<Message> {
  const type = definition.lookupType(name);
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { arrays: true, defaults: true }) as Message,
  };
}
