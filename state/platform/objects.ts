import { packArchive } from '../kernel/archives/archive-writer.ts'
import { instant, nullable, text, word } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import { sortableNumber } from '../kernel/sortable-number.ts'
import type { World } from '../kernel/worlds/world.ts'
import { newSecret } from './ids.ts'
import { refuse } from './messages.ts'
import { platformTable } from './table.ts'

const objectShape = struct({
  /** Secret part of the URL. */
  id: text,
  /**
   * Purpose of the address. `upload` accepts the files of a configuration version, and `download`
   * serves them. `log` serves the log of a test run, a plan or an apply. `module` serves the
   * archive of a module version. `state-upload` and `json-state-upload` accept a state and its JSON
   * form; `state` and `json-state` serve them. `json-plan`, `redacted-plan` and `plan-schemas`
   * serve JSON documents of a plan. `errored-state` serves a state that was not stored.
   * `file-upload` accepts a file of a provider or a policy set, and `file` serves it.
   */
  kind: word(
    'upload',
    'download',
    'log',
    'module',
    'state-upload',
    'json-state-upload',
    'state',
    'json-state',
    'json-plan',
    'redacted-plan',
    'plan-schemas',
    'errored-state',
    'file-upload',
    'file',
  ),
  /**
   * Id of the configuration version, test run, module version, state version, plan, apply or file
   * to which the address leads.
   */
  subject: text,
  /** Null if the address never expires. */
  expires_at: nullable(instant),
})

/**
 * An address in the object store. Any client that knows the address has access
 * (behaviour/platform#authentication, behaviour/platform#log and behaviour/platform#uploads).
 */
export interface StoredObject extends StoredOf<typeof objectShape> {}

export const objects = platformTable('objects', objectShape, {
  secrets: { key: true, members: ['id'] },
  indexes: {
    ofModuleVersion: ({ kind, subject }) => (kind === 'module' ? subject : undefined),
    ofFile: ({ kind, subject }) =>
      kind === 'file-upload' || kind === 'file' ? subject : undefined,
  },
})

/**
 * Uploaded bytes by `<id of the owner>/<piece number>`. Owners are configuration versions, module
 * versions, policies, and the subjects of `files.ts`. Uploads are split into pieces for two
 * reasons: the largest upload exceeds the maximum length of a string, and one piece can be stored
 * while the next one arrives.
 */
export const contents = platformTable('contents', struct({ base64: text }), {
  secrets: 'none',
})

/**
 * Lifetime of an upload address in milliseconds: 25 hours (behaviour/platform#uploads and
 * behaviour/platform#state-uploads).
 */
const uploadLifetime = 25 * 60 * 60 * 1000

/**
 * Lifetime in milliseconds of the URLs of a plan's JSON documents and of an errored state, which is
 * a state that could not be stored (behaviour/platform#plan-json).
 */
const planLifetime = 60 * 1000

/** Lifetimes in milliseconds. Addresses of other kinds never expire. */
const lifetimes: { readonly [Kind in StoredObject['kind']]?: number } = {
  upload: uploadLifetime,
  'file-upload': uploadLifetime,
  'state-upload': uploadLifetime,
  'json-state-upload': uploadLifetime,
  'json-plan': planLifetime,
  'redacted-plan': planLifetime,
  'plan-schemas': planLifetime,
  'errored-state': planLifetime,
}

/** Creates an address and returns its id. Must run inside a transaction. */
export function addObject(world: World, kind: StoredObject['kind'], subject: string): string {
  const id = newSecret(world)
  const lifetime = lifetimes[kind]
  const expires_at = lifetime === undefined ? null : world.clock.now() + lifetime
  world.table(objects).put(id, { id, kind, subject, expires_at })
  return id
}

/**
 * Returns the id of the address of a module version's archive. Creates the address if it does not
 * exist.
 */
export function ensureModuleObject(world: World, version: string): string {
  const existing = world.table(objects).index('ofModuleVersion').get(version)
  return existing?.id ?? world.write(() => addObject(world, 'module', version))
}

/** Deletes the address of a module version's archive. Must run inside a transaction. */
export function removeModuleObject(world: World, version: string): void {
  const existing = world.table(objects).index('ofModuleVersion').get(version)
  if (existing !== undefined) world.table(objects).delete(existing.id)
}

/**
 * Returns the object at an address if it has one of the given purposes. Throws 404 if the address
 * is unknown or has another purpose, and 403 if it has expired.
 */
export function requireObject(
  world: World,
  id: string,
  kinds: readonly StoredObject['kind'][],
): StoredObject {
  const object = world.table(objects).get(id)
  if (object === undefined || !kinds.includes(object.kind)) throw refuse('not-found')
  if (object.expires_at !== null && object.expires_at <= world.clock.now())
    throw refuse('address-expired')
  return object
}

/**
 * Deletes the addresses with the given ids, but not the bytes that are stored behind these
 * addresses. Skips null. Must run inside a transaction.
 */
export function removeObjects(world: World, ids: readonly (string | null)[]): void {
  for (const id of ids) if (id !== null) world.table(objects).delete(id)
}

/**
 * Number of bytes in a full piece: a multiple of three, so that the base64 of all pieces can be
 * concatenated.
 */
const pieceSize = 768 * 1024

/**
 * Writer that splits bytes into base64 pieces. The writer buffers at most one piece of raw bytes.
 */
export class ContentWriter {
  readonly #limit: number
  #buffer = Buffer.alloc(0)
  #length = 0
  #size = 0
  readonly #pieces: string[] = []

  /** @param limit maximum total number of bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Adds bytes and returns true. If the total would exceed the limit, discards the bytes and
   * returns false.
   */
  add(bytes: Uint8Array): boolean {
    if (this.#size + bytes.length > this.#limit) return false
    this.#size += bytes.length
    for (let at = 0; at < bytes.length; ) {
      this.#grow(bytes.length - at)
      const slice = bytes.subarray(at, at + this.#buffer.length - this.#length)
      this.#buffer.set(slice, this.#length)
      this.#length += slice.length
      at += slice.length
      if (this.#length === pieceSize) this.#flush()
    }
    return true
  }

  /** Returns all pieces in order. The writer cannot be used afterwards. */
  end(): readonly string[] {
    if (this.#length > 0) this.#flush()
    return this.#pieces
  }

  /**
   * Replaces the buffer by a larger one if it is full. Small uploads get a small buffer, and no
   * buffer is larger than one piece.
   */
  #grow(needed: number): void {
    if (this.#length < this.#buffer.length) return
    const grownBuffer = Buffer.alloc(
      Math.min(pieceSize, Math.max(2 * this.#length, this.#length + needed)),
    )
    grownBuffer.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grownBuffer
  }

  #flush(): void {
    this.#pieces.push(this.#buffer.toString('base64', 0, this.#length))
    this.#length = 0
  }
}

/** Splits bytes into base64 pieces, as `contents` stores them. */
export function base64PiecesOf(bytes: Uint8Array): readonly string[] {
  const writer = new ContentWriter(Number.POSITIVE_INFINITY)
  writer.add(bytes)
  return writer.end()
}

/**
 * Packs files into a gzip tar archive and splits it into base64 pieces. `files` maps paths to
 * contents.
 */
export function archivePieces(files: Readonly<Record<string, string>>): readonly string[] {
  return base64PiecesOf(packArchive(files))
}

/**
 * Stores base64 pieces for an owner of `contents`, which must have no pieces yet. Must run inside a
 * transaction.
 */
export function putContent(world: World, owner: string, pieces: readonly string[]): void {
  const table = world.table(contents)
  for (const [index, base64] of pieces.entries()) {
    table.put(`${owner}/${sortableNumber(index, 8)}`, { base64 })
  }
}

/** Deletes the bytes of an owner of `contents`. Must run inside a transaction. */
export function removeContent(world: World, owner: string): void {
  world.table(contents).deleteAll(`${owner}/`)
}

/** Returns the base64 pieces of an owner's bytes; empty if nothing was uploaded. */
export function contentOf(world: World, owner: string): readonly string[] {
  return Array.from(world.table(contents).rows(`${owner}/`), ({ base64 }) => base64)
}
