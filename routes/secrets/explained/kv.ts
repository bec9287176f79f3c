import { isObjectOrList } from '../../../state/kernel/objects.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { kv1Secrets } from '../../../state/secrets/kv/v1.ts'
import {
  firstVersion,
  kv2Keys,
  storageKey,
  type VersionedKey,
  versionOf,
} from '../../../state/secrets/kv/v2-store.ts'
import { isKeyValue, isVersioned, type Mount } from '../../../state/secrets/mounts/mounts.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { pathTo, targetOf } from './request-target.ts'

const spec = 'behaviour/secrets#key-value'

/**
 * Explains that the check-and-set number is missing or malformed, or does not match the current
 * version.
 */
export function explainCas(request: ExplainedRequest): Diagnosis {
  const { refusal, body, rule } = request
  const current = Number(refusal?.details['current'])
  const state = current === 0 ? 'has no version yet' : `is at version ${current}`
  const path = secretPath(request)
  const cas = JSON.stringify(member(member(body, 'options'), 'cas'))
  const why =
    rule === 'cas-required'
      ? `${path} can be written only with options.cas, which the request does not have; ${path} ${state}`
      : `options.cas is ${cas}, but ${path} ${state}`
  return {
    because: why,
    change: `Send options.cas ${current}`,
    request: {
      body: (body) => ({
        ...Object(body),
        options: { ...Object(member(body, 'options')), cas: current },
      }),
    },
    spec,
  }
}

/**
 * Explains that a secret was sent without an enclosing member `data`. Returns undefined for a body
 * with `data` and for a body without members.
 */
export function explainMissingData({ body }: ExplainedRequest): Diagnosis | undefined {
  const names = Object.keys(Object(body)).filter((name) => name !== 'options')
  if (typeof body !== 'object' || names.length === 0 || names.includes('data')) return undefined
  return {
    because: `the body has ${names.join(', ')}, but not the member "data", which holds the secret`,
    change: 'Wrap the secret: {"data": {…}}',
    request: {
      body: (body) => {
        const { options, ...data } = Object(body)
        return { ...(options === undefined ? {} : { options }), data }
      },
    },
    spec: 'behaviour/secrets#api-kv2',
  }
}

function member(value: unknown, name: string): unknown {
  return isObjectOrList(value) ? value[name] : undefined
}

/**
 * Returns the name of a secret in a versioned mount: the part of the path below the mount, without
 * its first segment (such as `data`).
 */
function secretPath(request: ExplainedRequest): string {
  const { mount, path } = targetOf(request)
  const below = path.slice(mount?.path.length ?? 0)
  return below.slice(below.indexOf('/') + 1)
}

/**
 * Explains that a secret does not exist, that a version is missing or deleted, or that a folder is
 * empty. Returns undefined outside of key-value mounts.
 */
export function explainAbsence(request: ExplainedRequest): Diagnosis | undefined {
  const { operation, world } = request
  const { mount } = targetOf(request)
  if (mount === undefined || !isKeyValue(mount)) return undefined
  const path = secretPath(request)
  if (operation?.id.includes('List')) return explainEmptyFolder(request, mount)
  if (!isVersioned(mount)) return explainMissingV1Secret(request, mount)
  const key = world.table(kv2Keys).get(storageKey(mount, path))
  if (key === undefined) return explainUnknownSecret(request, mount, path, namesIn(world, mount))
  return explainMissingVersion(request, path, key)
}

function explainMissingVersion(request: ExplainedRequest, path: string, key: VersionedKey) {
  const current = key.current_version
  const requestedVersion = Number([request.query['version']].flat()[0] ?? 0) || current
  const version = versionOf(key, requestedVersion)
  const latest = { query: { version: undefined } }
  if (version?.destroyed === true) {
    return {
      rule: 'version-destroyed',
      because: `version ${requestedVersion} of ${path} is destroyed; the current one is ${current}`,
      change: 'Read another version, or write a new one',
      spec,
    }
  }
  if (version !== undefined) {
    const expiredAt = formatTimestamp(version.deletion_time ?? request.at)
    return {
      rule: 'version-deleted',
      because: `version ${requestedVersion} of ${path} was deleted at ${expiredAt}; the current one is ${current}`,
      change: `Undelete version ${requestedVersion}, or write a new one`,
      spec,
    }
  }
  if (current === 0) {
    return {
      rule: 'version-unknown',
      because: `${path} has metadata, but no version was ever written`,
      change: 'Write a version first',
      spec,
    }
  }
  const available = `versions ${firstVersion(key)} to ${current}`
  return {
    rule: 'version-unknown',
    because: `${path} has no version ${requestedVersion}: it has ${available}`,
    change: `Read version ${current}, the current one`,
    request: latest,
    spec,
  }
}

function explainMissingV1Secret(request: ExplainedRequest, mount: Mount): Diagnosis {
  const { path, namespace, headerNamespace } = targetOf(request)
  const [, part = '', name = ''] =
    /^(data|metadata)\/(.+)$/.exec(path.slice(mount.path.length)) ?? []
  if (part !== '') {
    const intended = mount.path + name
    return {
      rule: 'kv1-part-needless',
      because: `${mount.path} does not version secrets and therefore has no ${part}/: the path of ${name} is ${intended}`,
      change: `Send the request to /v1/${intended}`,
      request: { path: pathTo(namespace, headerNamespace, intended) },
      spec: 'behaviour/secrets#api-kv1',
    }
  }
  const names = [...request.world.table(kv1Secrets).entries(storageKey(mount, ''))].map(
    ([key]) => key,
  )
  return explainUnknownSecret(
    request,
    mount,
    path.slice(mount.path.length),
    keysUnder(mount, names),
  )
}

function explainUnknownSecret(
  request: ExplainedRequest,
  mount: Mount,
  path: string,
  names: readonly string[],
): Diagnosis {
  const closest = closestName(path, names)
  const { namespace, headerNamespace, path: fullPath } = targetOf(request)
  const because = `${mount.path} has no secret ${path}`
  if (closest === undefined) {
    return { rule: 'secret-unknown', because, change: `Write ${path} first`, spec }
  }
  return {
    rule: 'secret-unknown',
    because: `${because}; the closest path is ${closest}`,
    change: `Read ${closest}`,
    request: {
      path: pathTo(namespace, headerNamespace, fullPath.slice(0, -path.length) + closest),
    },
    spec,
  }
}

function explainEmptyFolder(request: ExplainedRequest, mount: Mount): Diagnosis {
  const { path } = targetOf(request)
  const folder = path.slice(mount.path.length).replace(/^metadata\/?/, '')
  return {
    rule: 'folder-empty',
    because: `the folder ${folder === '' ? '/' : folder} of ${mount.path} is empty, and listing an empty folder returns 404`,
    change: 'Write a secret in the folder first',
    spec: 'behaviour/secrets#api-lists',
  }
}

function namesIn(world: World, mount: Mount): string[] {
  return keysUnder(
    mount,
    [...world.table(kv2Keys).entries(storageKey(mount, ''))].map(([key]) => key),
  )
}

function keysUnder(mount: Mount, keys: readonly string[]): string[] {
  const prefix = storageKey(mount, '')
  return keys.map((key) => key.slice(prefix.length))
}
