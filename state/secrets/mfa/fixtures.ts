import { bool, constant, int, list, map, tagged, text } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { InputOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  decodeMembers,
  fixtureDuration,
  fixtureMembers,
  type LoadAtPointer,
} from '../fixtures/members.ts'
import { findEntity, findEntityByName } from '../identity/entities.ts'
import { writeEntity } from '../identity/entity-changes.ts'
import { findGroup, findGroupByName } from '../identity/groups.ts'
import { mountPath } from '../mounts/changes.ts'
import { authPrefix, mountOf } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { parseBase32Key } from '../totp/keys.ts'
import { writeEnforcement } from './enforcements.ts'
import { findMethod, findMethodByName, type MethodSettings, writeMethod } from './methods.ts'
import {
  checkedDuoSettings,
  checkedOktaSettings,
  checkedPingSettings,
  checkedTotpSettings,
} from './settings.ts'
import { isTotp, storeSecret } from './totp.ts'

const totpFixture = struct({
  type: constant('totp'),
  issuer: text,
  period: optional(fixtureDuration),
  digits: optional(int),
  algorithm: optional(text),
  skew: optional(int),
  key_size: optional(int),
  qr_size: optional(int),
  max_validation_attempts: optional(int),
  secrets: optional(
    described(map(text), 'Keys in base32, by the name of the entity; missing entities are created'),
  ),
})

const usernameFormat = {
  username_format: optional(described(text, 'Stored and returned, but without effect')),
}

const otherFixtures = [
  struct({
    type: constant('duo'),
    secret_key: text,
    integration_key: text,
    api_hostname: text,
    push_info: optional(described(text, 'Text in notifications')),
    use_passcode: optional(bool),
    ...usernameFormat,
  }),
  struct({
    type: constant('okta'),
    org_name: text,
    api_token: text,
    base_url: optional(described(text, 'Domain of the organization')),
    production: optional(described(bool, 'Old setting for base_url')),
    ...usernameFormat,
  }),
  struct({ type: constant('pingid'), settings_file_base64: text }),
] as const

export const methodFixture = tagged('type', totpFixture, ...otherFixtures)
type MethodFixture = InputOf<typeof methodFixture>

const enforcementFixture = struct(
  fixtureMembers({
    mfa_method_ids: list(text),
    auth_method_accessors: list(text),
    auth_method_types: list(text),
    identity_entity_ids: list(text),
    identity_group_ids: list(text),
  }),
)

/** Second factors in a fixtures document, and the enforcements that require them. */
export const mfaFixture = struct({
  methods: optional(described(map(methodFixture), 'Second factors by name')),
  enforcements: optional(
    described(
      map(enforcementFixture),
      'Logins that require a second factor, by name. Methods, entities and groups are given by name or id, login methods by path or accessor',
    ),
  ),
})

/**
 * Creates methods, TOTP secrets and enforcements, with the same checks as the API. For a secret of
 * an unknown entity, also creates the entity.
 */
export function addMfa(world: World, fixture: InputOf<typeof mfaFixture>, at: LoadAtPointer): void {
  const { methods = {}, enforcements = {} } = fixture
  for (const [name, method] of Object.entries(methods)) {
    at(['methods', name], () => addMethod(world, name, method))
    const { secrets = {} } = method.type === 'totp' ? method : {}
    for (const [entity, key] of Object.entries(secrets)) {
      at(['methods', name, 'secrets', entity], () => addSecret(world, name, entity, key))
    }
  }
  for (const [name, enforcement] of Object.entries(enforcements)) {
    const {
      mfa_method_ids,
      auth_method_accessors,
      identity_entity_ids,
      identity_group_ids,
      ...rest
    } = decodeMembers(enforcementFixture, enforcement)
    at(['enforcements', name], () =>
      writeEnforcement(world, rootNamespace, name, {
        ...rest,
        ...(mfa_method_ids !== undefined && {
          mfa_method_ids: mfa_method_ids.map((each) => methodIdOf(world, each)),
        }),
        ...(auth_method_accessors !== undefined && {
          auth_method_accessors: auth_method_accessors.map((each) => accessorOf(world, each)),
        }),
        ...(identity_entity_ids !== undefined && {
          identity_entity_ids: identity_entity_ids.map((each) => entityIdOf(world, each)),
        }),
        ...(identity_group_ids !== undefined && {
          identity_group_ids: identity_group_ids.map((each) => groupIdOf(world, each)),
        }),
      }),
    )
  }
}

function addMethod(world: World, name: string, fixture: MethodFixture): void {
  const { type } = fixture
  writeMethod(world, rootNamespace, { type, id: '', name, settings: () => settingsOf(fixture) })
}

function settingsOf(fixture: MethodFixture): MethodSettings {
  switch (fixture.type) {
    case 'totp':
      return checkedTotpSettings({ ...totpDefaults, ...decodeMembers(totpFixture, fixture) })
    case 'duo':
      return checkedDuoSettings({
        secret_key: fixture.secret_key,
        integration_key: fixture.integration_key,
        api_hostname: fixture.api_hostname,
        pushinfo: fixture.push_info ?? '',
        use_passcode: fixture.use_passcode ?? false,
        username_format: fixture.username_format ?? '',
      })
    case 'okta':
      return checkedOktaSettings({
        org_name: fixture.org_name,
        api_token: fixture.api_token,
        base_url: fixture.base_url,
        production: fixture.production,
        username_format: fixture.username_format ?? '',
      })
    case 'pingid':
      return checkedPingSettings(fixture.settings_file_base64)
  }
}

const totpDefaults = {
  period: 30,
  digits: 6,
  algorithm: 'SHA1',
  skew: 1,
  key_size: 20,
  qr_size: 200,
  max_validation_attempts: 0,
}

function addSecret(world: World, name: string, entityName: string, key: string): void {
  const method = findMethodByName(world, rootNamespace, name)
  if (method === undefined || !isTotp(method)) return
  // The document may mention the entity only here (choice/secrets#fixture-assumed-objects).
  const entity =
    findEntityByName(world, rootNamespace, entityName) ??
    writeEntity(world, rootNamespace, { name: entityName }).entity
  storeSecret(world, method, entity, parseBase32Key(key))
}

function methodIdOf(world: World, text: string): string {
  return (findMethodByName(world, rootNamespace, text) ?? findMethod(world, text))?.id ?? text
}

function entityIdOf(world: World, text: string): string {
  const found = findEntityByName(world, rootNamespace, text)
  return (found ?? findEntity(world, rootNamespace, text))?.id ?? text
}

function groupIdOf(world: World, text: string): string {
  const found = findGroupByName(world, rootNamespace, text)
  return (found ?? findGroup(world, rootNamespace, text))?.id ?? text
}

/**
 * Returns the accessor of the login method at a path, which may begin with `auth/`. Returns other
 * strings unchanged, because the string can be an accessor.
 */
function accessorOf(world: World, text: string): string {
  const path = mountPath(text)
  const full = path.startsWith(authPrefix) ? path : authPrefix + path
  const mount = mountOf(world, rootNamespace, full)
  return mount?.path === full ? mount.accessor : text
}
