import { instant, nullable, text, word } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import { defineTable } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'
import { newSecret } from './ids.ts'
import { refuse } from './messages.ts'

const objectShape = struct({
  /** The secret in the address. */
  id: text,
  /**
   * `upload` takes a version's files, `download` returns them, `log` returns a run's log, `module` the
   * archive of a module's version.
   */
  kind: word('upload', 'download', 'log', 'module'),
  /** The id of the configuration version, the test run or the module's version. */
  subject: text,
  /** Null: never. */
  expires_at: nullable(instant),
})

/**
 * An address of the object store: whoever knows it may use it (behaviour/platform#authentication, behaviour/platform#log and behaviour/platform#configuration-versions).
 */
export interface StoredObject extends StoredOf<typeof objectShape> {}

/** By id. */
export const objects = defineTable({
  service: 'platform',
  name: 'objects',
  secretKeys: true,
  shape: objectShape,
  indexes: { ofModuleVersion: ({ kind, subject }) => (kind === 'module' ? subject : undefined) },
})

/**
 * Uploaded bytes by `<configuration version or module version>/<number>`. In pieces, because no text is as long as the
 * largest upload, and so that one can be kept while the next arrives.
 */
export const contents = defineTable({
  service: 'platform',
  name: 'contents',
  shape: struct({ base64: text }),
})

/** The time that an address for an upload is good, in milliseconds: 25 hours (behaviour/platform#configuration-versions). */
const uploadLifetime = 25 * 60 * 60 * 1000

/** Makes an address; part of a transaction. */
export function addObject(world: World, kind: StoredObject['kind'], subject: string): string {
  const id = newSecret(world)
  const expires_at = kind === 'upload' ? world.clock.now() + uploadLifetime : null
  world.table(objects).put(id, { id, kind, subject, expires_at })
  return id
}

/** The address of a module version's archive, made when it is first asked for. */
export function moduleObject(world: World, version: string): string {
  const existing = world.table(objects).index('ofModuleVersion').get(version)
  return existing?.id ?? world.write(() => addObject(world, 'module', version))
}

/** Takes the address of a module version's archive away; part of a transaction. */
export function removeModuleObject(world: World, version: string): void {
  const existing = world.table(objects).index('ofModuleVersion').get(version)
  if (existing !== undefined) world.table(objects).delete(existing.id)
}

/**
 * The object of an address, for one of the uses that it was made for. Refuses with 404 one that is
 * not known or not for this, with 403 one whose time is over.
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

/** Takes addresses and bytes away; part of a transaction. */
export function removeObjects(world: World, ids: readonly (string | null)[]): void {
  for (const id of ids) if (id !== null) world.table(objects).delete(id)
}

/** Bytes in a full piece: a multiple of three, so that pieces need no padding between them. */
const pieceSize = 768 * 1024

/** Turns bytes that arrive in any portions into pieces; holds at most one piece as bytes. */
export class ContentWriter {
  readonly #limit: number
  #buffer = Buffer.alloc(0)
  #length = 0
  #size = 0
  readonly #pieces: string[] = []

  /** `limit`: how many bytes there may be. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes bytes up, unless they are too many: then false, and nothing of them is kept. */
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

  /** All pieces in order; nothing can be added afterwards. */
  end(): readonly string[] {
    if (this.#length > 0) this.#flush()
    return this.#pieces
  }

  /** Small uploads are many, so the buffer grows with what comes, up to a whole piece. */
  #grow(needed: number): void {
    if (this.#length < this.#buffer.length) return
    const grown = Buffer.alloc(
      Math.min(pieceSize, Math.max(2 * this.#length, this.#length + needed)),
    )
    grown.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grown
  }

  #flush(): void {
    this.#pieces.push(this.#buffer.toString('base64', 0, this.#length))
    this.#length = 0
  }
}

/** Keeps the bytes of a configuration version or a module version; part of a transaction. */
export function putContent(world: World, version: string, pieces: readonly string[]): void {
  const table = world.table(contents)
  for (const [index, base64] of pieces.entries()) {
    table.put(`${version}/${String(index).padStart(8, '0')}`, { base64 })
  }
}

/** Forgets the bytes of a configuration version or a module version; part of a transaction. */
export function removeContent(world: World, version: string): void {
  world.table(contents).deleteAll(`${version}/`)
}

/** The pieces of a version's bytes as they are now; nothing where none were uploaded. */
export function contentOf(world: World, version: string): readonly string[] {
  return Array.from(world.table(contents).rows(`${version}/`), ({ base64 }) => base64)
}
