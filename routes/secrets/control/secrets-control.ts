import { isObject } from '../../../state/kernel/objects.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { MountFixture, TokenFixture } from '../../../state/secrets/fixtures.ts'
import { readSecret, secretPaths } from '../../../state/secrets/kv/kv.ts'
import { isKeyValue, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { policyNames, readPolicy } from '../../../state/secrets/policies/policies.ts'
import { generateTokenId } from '../../../state/secrets/tokens/ids.ts'
import { ControlPart } from '../../http/declare/control-call.ts'
import { InputError } from '../../http/declare/validate.ts'

/** A token to create. A missing id is generated. */
type NewToken = Omit<TokenFixture, 'id' | 'policies'> & {
  readonly id?: string
  /** Names of policies. Default: `root` only. */
  readonly policies?: readonly string[]
}

/**
 * Control of the secrets of one world, for tests. Paths belong to the root namespace and include
 * the mount but not `data/`: `secret/app/db`. No token is required. Calls that change the world
 * throw `Mistakes` for invalid arguments.
 */
export class SecretsControl extends ControlPart {
  /** Mounts an engine, or a login method below `auth/`. */
  mount(path: string, mount: MountFixture): void {
    this.#addFixtures({ mounts: { [path]: mount } })
  }

  /**
   * Writes a secret to a key-value mount of either version. In version 2, this creates a new
   * version of the secret.
   *
   * @throws {InputError} if the path is not in a key-value mount, if the path names no secret, or
   *   if the data are not an object that can be written as JSON
   */
  put(path: string, data: object): void {
    const problems = this.#problemsOfSecret(path, data)
    if (problems.length > 0) {
      throw new InputError(problems.map((problem) => `world.secrets.put: ${problem}`))
    }
    const [mount, rest] = this.#splitPath(path)
    this.#addFixtures({ kv: { [mount]: { [rest]: data } } })
  }

  /**
   * Returns the current content of a secret; undefined if the secret does not exist or is deleted.
   */
  get(path: string): Readonly<Record<string, unknown>> | undefined {
    const [, rest, mount] = this.#splitPath(path)
    if (mount === undefined) return undefined
    const text = undefinedIfAbsent(() => readSecret(this.world, mount, rest))
    return text === undefined ? undefined : JSON.parse(text)
  }

  /**
   * Returns the paths of all secrets in key-value mounts, grouped by mount. Some of the secrets may
   * be deleted.
   */
  paths(): readonly string[] {
    return mountsIn(this.world, rootNamespace)
      .filter(isKeyValue)
      .flatMap((mount) => secretPaths(this.world, mount).map((path) => mount.path + path))
  }

  /** Writes an access policy. `rules` is HCL text, or an object in the JSON form of policies. */
  policy(name: string, rules: string | object): void {
    this.#addFixtures({ policies: { [name]: rules } })
  }

  /** Returns the document of a policy; undefined if the policy does not exist. */
  policyText(name: string): string | undefined {
    return undefinedIfAbsent(() => readPolicy(this.world, rootNamespace, name).policy)
  }

  /** Returns the names of all policies: `root` last, the others sorted. */
  policies(): readonly string[] {
    return policyNames(this.world, rootNamespace)
  }

  /** Creates a token and returns its id. The token never expires unless `ttl` is set. */
  token({ id, policies = ['root'], ...more }: NewToken = {}): string {
    const tokenId = id ?? generateTokenId(this.world, { type: 'service', policies }, rootNamespace)
    this.#addFixtures({ tokens: [{ id: tokenId, policies, ...more }] })
    return tokenId
  }

  /** Returns the mistakes in the arguments of `put`. Each mistake names its argument. */
  #problemsOfSecret(path: unknown, data: unknown): readonly string[] {
    return [...this.#problemsOfPath(path), ...problemsOfData(data)]
  }

  #problemsOfPath(path: unknown): readonly string[] {
    if (typeof path !== 'string') return ['the path must be a string, such as "secret/app/db"']
    const [, rest, mount] = this.#splitPath(path)
    const quoted = JSON.stringify(path)
    if (mount === undefined || !isKeyValue(mount)) {
      return [`the path ${quoted} is not in a key-value mount`]
    }
    return rest === '' ? [`the path ${quoted} names a mount, but no secret in it`] : []
  }

  #addFixtures(fixtures: object): void {
    this.tools.addFixtures(this.world, { secrets: fixtures })
  }

  /**
   * Splits a path into the path of the mount and the path below it. If there is no mount, the first
   * segment counts as the mount; for a path without a slash, the mount part is empty.
   */
  #splitPath(path: string) {
    const mount = mountOf(this.world, rootNamespace, path)
    const length = mount?.path.length ?? path.indexOf('/') + 1
    return [path.slice(0, length), path.slice(length), mount] as const
  }
}

function problemsOfData(data: unknown): readonly string[] {
  if (!isObject(data)) return ['the data must be an object, such as { password: "p" }']
  try {
    JSON.stringify(data)
    return []
  } catch (error) {
    return [`the data cannot be written as JSON: ${error instanceof Error ? error.message : error}`]
  }
}

function undefinedIfAbsent<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'absent') return undefined
    throw error
  }
}
