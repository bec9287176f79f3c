import { instant, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId, newSecret } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { isBlank, isVersion, type TextInput } from '../names.ts'
import { putContent, removeContent, removeModuleObject } from '../objects.ts'
import { platformTable } from '../table.ts'
import { invalidAttributes, violation } from '../violations.ts'
import { type Module, type ModuleVersion, moduleWithId, putModule } from './modules.ts'

/**
 * Expected uploads of module archives, by the secret in the upload URL. Each secret begins with the
 * id of the module version, without the id's prefix `modver-`, so that the uploads of a version can
 * be found by key prefix.
 */
export const moduleUploads = platformTable(
  'module-uploads',
  struct({
    /** Module id. */
    module: text,
    /** Module version id. */
    version: text,
    expires_at: instant,
  }),
  {
    secrets: { key: true, members: [] },
  },
)

/** Lifetime of an upload address in milliseconds: 25 hours (behaviour/platform#uploads). */
const uploadLifetime = 25 * 60 * 60 * 1000

/** A module version, with the secret of its upload URL. */
export interface PendingVersion {
  readonly version: ModuleVersion
  /** Undefined if the version has no upload URL. An expired upload URL still has a secret. */
  readonly secret: string | undefined
}

/**
 * Adds a version to a private module (behaviour/platform#module-versions). The version waits for
 * its archive, or is published at once if the module comes from a branch of a repository. Throws
 * 403 for a public module, 404 for a module whose versions are the tags of a repository, and 422
 * for a number that is blank, malformed or taken.
 */
export function createModuleVersion(
  world: World,
  module: Module,
  { version: number, commit_sha = null }: TextInput<'version' | 'commit_sha'>,
): PendingVersion {
  if (module.registry_name === 'public') throw refuse('public-module-versions')
  const { branch } = { ...module.vcs_repo }
  if (branch === '') throw refuse('not-found')
  if (isBlank(number)) throw invalidAttributes([violation('version', 'blank')])
  if (!isVersion(number)) throw invalidAttributes([violation('version', 'invalid')])
  if (module.versions.some(({ version }) => version === number)) {
    throw invalidAttributes([violation('version', 'taken')])
  }
  return world.write(() => {
    const status = branch === undefined ? 'pending' : 'ok'
    const source = 'ent-api'
    const version = { ...newModuleVersion(world, number, { status, source }), commit_sha }
    if (branch !== undefined) {
      putModule(
        world,
        withModuleChanges(world, module, { versions: [...module.versions, version] }),
      )
      return { version, secret: undefined }
    }
    const secret = uploadPrefix(version) + newSecret(world, 32)
    const expires_at = world.clock.now() + uploadLifetime
    putModule(world, withModuleChanges(world, module, { versions: [...module.versions, version] }))
    world.table(moduleUploads).put(secret, { module: module.id, version: version.id, expires_at })
    return { version, secret }
  })
}

/**
 * Returns a version of a module with the secret of its upload URL. Returns undefined if the module
 * has no such version.
 */
export function findModuleVersion(
  world: World,
  module: Module,
  number: string,
): PendingVersion | undefined {
  const version = module.versions.find((one) => one.version === number)
  if (version === undefined) return undefined
  const prefix = uploadPrefix(version)
  const secret = world.table(moduleUploads).ceiling(prefix)?.[0]
  return { version, secret: secret?.startsWith(prefix) ? secret : undefined }
}

/** Returns a module version with a new id. The caller stores it in the module. */
export function newModuleVersion(
  world: World,
  version: string,
  { status, source }: Pick<ModuleVersion, 'status' | 'source'>,
): ModuleVersion {
  return { id: newId(world, 'modver'), version, status, source, created_at: world.clock.now() }
}

/** Returns whether a secret belongs to an upload URL. Throws 403 if the URL has expired. */
export function isModuleUpload(world: World, secret: string): boolean {
  return findOpenUpload(world, secret) !== undefined
}

/**
 * Stores an uploaded archive. The first upload sets the status of the version to `ok` and the
 * status of the module to `setup_complete`. A second upload only replaces the archive. Throws 404
 * for an unknown secret, and 403 if the URL has expired.
 *
 * @param pieces the archive as base64 pieces, as `ContentWriter` returns them
 */
export function uploadModuleVersion(world: World, secret: string, pieces: readonly string[]): void {
  const { module, version } = findOpenUpload(world, secret) ?? {}
  if (module === undefined || version === undefined) throw refuse('not-found')
  const versions = module.versions.map((one) =>
    one.id === version.id ? ({ ...one, status: 'ok' } as const) : one,
  )
  world.write(() => {
    removeContent(world, version.id)
    putContent(world, version.id, pieces)
    if (version.status === 'ok') return
    putModule(world, withModuleChanges(world, module, { versions, status: 'setup_complete' }))
  })
}

function findOpenUpload(world: World, secret: string) {
  const upload = world.table(moduleUploads).get(secret)
  const module = upload === undefined ? undefined : moduleWithId(world, upload.module)
  const version = module?.versions.find(({ id }) => id === upload?.version)
  if (upload === undefined || module === undefined || version === undefined) return undefined
  if (upload.expires_at <= world.clock.now()) throw refuse('address-expired')
  return { module, version }
}

/**
 * Deletes the archive of a version with its upload and download addresses. Must run inside a
 * transaction.
 */
export function dropModuleArchive(world: World, version: ModuleVersion): void {
  removeContent(world, version.id)
  removeModuleObject(world, version.id)
  world.table(moduleUploads).deleteAll(uploadPrefix(version))
}

/**
 * A new deprecation or revocation of a module version, or the end of a deprecation or revocation.
 * Texts that a request leaves out are empty.
 */
export type VersionStatusChange =
  | { readonly to: 'deprecated' | 'revoked'; readonly text: string; readonly link: string }
  | { readonly to: 'undeprecated' | 'unrevoked' }

/**
 * Deprecates or revokes a version of a module, or reverts a deprecation or revocation
 * (behaviour/platform#module-versions). Deprecating the version again, or reverting its
 * deprecation, also ends its revocation. Throws `revocation-needs-deprecation` if the version to
 * revoke is not deprecated, and 404 for an unknown version.
 */
export function changeVersionStatus(
  world: World,
  module: Module,
  number: string,
  change: VersionStatusChange,
): Module {
  const before = requireFound(module.versions.find(({ version }) => version === number))
  const { deprecation, revocation, ...plain } = before
  const current = deprecation === undefined ? {} : { deprecation }
  let after: ModuleVersion = plain
  if (change.to === 'deprecated') {
    after = { ...plain, deprecation: { reason: change.text, link: change.link } }
  } else if (change.to === 'revoked') {
    if (deprecation === undefined) throw refuse('revocation-needs-deprecation')
    after = { ...plain, deprecation, revocation: { message: change.text, link: change.link } }
  } else if (change.to === 'unrevoked') {
    after = { ...plain, ...current }
  }
  const versions = module.versions.map((one) => (one === before ? after : one))
  return world.write(() => putModule(world, withModuleChanges(world, module, { versions })))
}

/** Returns the changed module with the current time as `updated_at`. */
export function withModuleChanges(world: World, module: Module, change: Partial<Module>): Module {
  return { ...module, ...change, updated_at: world.clock.now() }
}

function uploadPrefix({ id }: ModuleVersion): string {
  return id.slice(id.indexOf('-') + 1)
}
