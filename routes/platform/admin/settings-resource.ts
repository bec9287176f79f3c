import { type StructShape, text, union } from '../../../state/kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import { readSettings } from '../../../state/platform/settings/changes.ts'
import type {
  SettingsAttribute,
  SettingsDefinition,
} from '../../../state/platform/settings/definition.ts'
import { storedSettings } from '../../../state/platform/settings/settings.ts'
import { type PlatformDialect, platformDialect } from '../dialect.ts'
import { documentOf, type Resource, resourceShape } from '../json-api/resource.ts'

/** Addresses that SAML settings tell of, below the caller's origin. */
const samlAddresses = {
  'acs-consumer-url': '/users/saml/auth',
  'metadata-url': '/users/saml/metadata',
} as const

/** The type of a resource of settings, in the specification's words. */
export function typeOf({ name }: SettingsDefinition): string {
  return `${name}-settings`
}

/** Settings as they hold, as a resource in the words of a dialect (behaviour/platform#settings). */
export function settingsResource(
  world: World,
  definition: SettingsDefinition,
  dialect: PlatformDialect,
  origin: string,
): Resource {
  const values: Readonly<Record<string, unknown>> = readSettings(world, definition)
  const stored = storedSettings(world, definition.name)
  const told = toldOf(definition, dialect).map(([name]) => {
    const value = values[name]
    // Defaults that hold a name of the product are as the dialect has them; what was set stays.
    const isDefault = typeof value === 'string' && !Object.hasOwn(stored, name)
    return [name, isDefault ? dialect.out('settingsDefault', value) : value]
  })
  const attributes = { ...Object.fromEntries(told), ...addressesOf(definition, origin) }
  return {
    id: dialect.out('settings', definition.name),
    type: dialect.out('type', typeOf(definition)),
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [dialect.out('attribute', name), value]),
    ),
  }
}

/** The attributes that callers can set, for reading a body. */
export function settableIn(
  definition: SettingsDefinition,
  dialect: Pick<PlatformDialect, 'extras'>,
) {
  const settable = attributesIn(definition, dialect).filter(([, { use }]) => use !== 'read-only')
  return partial(struct(Object.fromEntries(settable.map(([name, each]) => [name, memberOf(each)]))))
}

/** The schema of a document with settings, in either dialect. */
export function settingsDocument(definition: SettingsDefinition): StructShape {
  const [neutral, vendor] = [platformDialect('neutral'), platformDialect('vendor')]
  return documentOf(union(shapeIn(definition, neutral), shapeIn(definition, vendor)))
}

function shapeIn(definition: SettingsDefinition, dialect: PlatformDialect): StructShape {
  const told = toldOf(definition, dialect).map(([name, each]) => [
    dialect.out('attribute', name),
    memberOf(each),
  ])
  const addresses = Object.keys(addressesOf(definition, '')).map((name) => [name, text])
  return resourceShape(
    dialect.out('type', typeOf(definition)),
    struct(Object.fromEntries([...told, ...addresses])),
  )
}

/** An attribute as the member of a shape. */
function memberOf({ shape, use, secret: isSecret }: SettingsAttribute) {
  return isSecret || use === 'write-only' ? secret(shape) : shape
}

function attributesIn(
  { attributes }: SettingsDefinition,
  { extras }: Pick<PlatformDialect, 'extras'>,
): [string, SettingsAttribute][] {
  return Object.entries(attributes).filter(([, { vendorOnly }]) => extras || !vendorOnly)
}

function toldOf(
  definition: SettingsDefinition,
  dialect: PlatformDialect,
): [string, SettingsAttribute][] {
  return attributesIn(definition, dialect).filter(
    ([, { use }]) => use !== 'write-only' && use !== 'once',
  )
}

function addressesOf({ name }: SettingsDefinition, origin: string): Record<string, string> {
  if (name !== 'saml') return {}
  const addresses = Object.entries(samlAddresses).map(([key, path]) => [key, origin + path])
  return Object.fromEntries(addresses)
}
