/** The client of S3, as far as it is used here. It is loaded when a store in object storage is asked for. */

/** What a request answers, as far as it is read. */
export interface S3Answer {
  readonly Body?: { transformToByteArray(): Promise<Uint8Array> };
  readonly LastModified?: Date;
  readonly Contents?: readonly { readonly Key?: string }[];
  readonly CommonPrefixes?: readonly { readonly Prefix?: string }[];
  readonly NextContinuationToken?: string;
}

export interface S3Client {
  send(command: object): Promise<S3Answer>;
  destroy(): void;
}

type Command = new (input: object) => object;

/** The package `@aws-sdk/client-s3`. */
export interface S3Package {
  readonly S3Client: new (options: object) => S3Client;
  readonly GetObjectCommand: Command;
  readonly HeadObjectCommand: Command;
  readonly PutObjectCommand: Command;
  readonly CopyObjectCommand: Command;
  readonly DeleteObjectCommand: Command;
  readonly ListObjectsV2Command: Command;
}

const NAME = '@aws-sdk/client-s3';
const INSTALL = 'npm install @aws-sdk/client-s3@3';

export async function loadS3(): Promise<S3Package> {
  // What it says of versions of Node is for those who choose a version of the client, not for a person who trains.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  try {
    return (await import(NAME)) as S3Package;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    throw new Error(`a store in S3 needs ${NAME}, which is not installed: ${INSTALL}`, { cause });
  }
}
