import { type StructShape, text, union } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { readSettings } from '../../../state/platform/settings/changes.ts'
import type {
  SettingsAttribute,
  SettingsDefinition,
} from '../../../state/platform/settings/definition.ts'
import { storedSettings } from '../../../state/platform/settings/settings.ts'
import { type PlatformDialect, platformDialect } from '../dialect.ts'
import { optionalMembers } from '../json-api/attributes.ts'
import { documentOf, type Resource, resourceShape } from '../json-api/resource.ts'

/**
 * Paths of the addresses in SAML settings, relative to the origin under which the caller reached
 * the server.
 */
const samlPaths = {
  'acs-consumer-url': '/users/saml/auth',
  'metadata-url': '/users/saml/metadata',
} as const

/** Returns the neutral resource type of settings, such as `smtp-settings`. */
export function settingsType({ name }: SettingsDefinition): string {
  return `${name}-settings`
}

/**
 * Renders the current settings as a resource in a dialect's wording (behaviour/platform#settings).
 */
export function settingsResource(
  world: World,
  definition: SettingsDefinition,
  dialect: PlatformDialect,
  origin: string,
): Resource {
  const values: Readonly<Record<string, unknown>> = readSettings(world, definition)
  const stored = storedSettings(world, definition.name)
  const visible = visibleAttributes(definition, dialect).map(([name]) => {
    const value = values[name]
    // Only defaults that contain a product name differ between dialects. Stored values stay
    // unchanged.
    const isDefault = typeof value === 'string' && !Object.hasOwn(stored, name)
    return [name, isDefault ? dialect.toWire('settingsDefault', value) : value]
  })
  const attributes = { ...Object.fromEntries(visible), ...samlUrls(definition, origin) }
  return {
    id: dialect.toWire('settings', definition.name),
    type: dialect.toWire('type', settingsType(definition)),
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [dialect.toWire('attribute', name), value]),
    ),
  }
}

/** Returns the shape of the attributes that callers can set, for parsing a body. */
export function settableAttributes(
  definition: SettingsDefinition,
  dialect: Pick<PlatformDialect, 'hasVendorAttributes'>,
) {
  const settable = attributesInDialect(definition, dialect).filter(
    ([, { use }]) => use !== 'read-only',
  )
  return optionalMembers(
    Object.fromEntries(settable.map(([name, each]) => [name, memberShape(each)])),
  )
}

/** Returns the shape of a settings document for both dialects. */
export function settingsDocument(definition: SettingsDefinition): StructShape {
  const [neutral, vendor] = [platformDialect('neutral'), platformDialect('vendor')]
  return documentOf(union(shapeInDialect(definition, neutral), shapeInDialect(definition, vendor)))
}

function shapeInDialect(definition: SettingsDefinition, dialect: PlatformDialect): StructShape {
  const visible = visibleAttributes(definition, dialect).map(([name, each]) => [
    dialect.toWire('attribute', name),
    memberShape(each),
  ])
  const urls = Object.keys(samlUrls(definition, '')).map((name) => [name, text])
  return resourceShape(
    dialect.toWire('type', settingsType(definition)),
    struct(Object.fromEntries([...visible, ...urls])),
  )
}

/**
 * Returns the shape of an attribute in the document. Secret and write-only values are kept out of
 * the journal.
 */
function memberShape({ shape, use, secret: isSecret }: SettingsAttribute) {
  return isSecret || use === 'write-only' ? secret(shape) : shape
}

function attributesInDialect(
  { attributes }: SettingsDefinition,
  { hasVendorAttributes }: Pick<PlatformDialect, 'hasVendorAttributes'>,
): [string, SettingsAttribute][] {
  return Object.entries(attributes).filter(
    ([, { vendorOnly }]) => hasVendorAttributes || !vendorOnly,
  )
}

function visibleAttributes(definition: SettingsDefinition, dialect: PlatformDialect) {
  return attributesInDialect(definition, dialect).filter(
    ([, { use }]) => use !== 'write-only' && use !== 'once',
  )
}

function samlUrls({ name }: SettingsDefinition, origin: string): Record<string, string> {
  if (name !== 'saml') return {}
  const urls = Object.entries(samlPaths).map(([key, path]) => [key, origin + path])
  return Object.fromEntries(urls)
}
