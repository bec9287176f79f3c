import { type JsonObject, setMember } from '../../../state/kernel/json.ts'
import type { MessageParam, Wording } from '../../../state/kernel/message.ts'
import { typeAliases } from '../../../state/secrets/mounts/types.ts'

/** Fields that have another name in the vendor dialect (behaviour/secrets#vendor-names). */
const vendorFields: Readonly<Record<string, string>> = {
  orch_host: 'kubernetes_host',
  orch_ca_cert: 'kubernetes_ca_cert',
  allowed_orch_namespaces: 'allowed_kubernetes_namespaces',
  allowed_orch_namespace_selector: 'allowed_kubernetes_namespace_selector',
  orch_role_name: 'kubernetes_role_name',
  orch_role_type: 'kubernetes_role_type',
  orch_namespace: 'kubernetes_namespace',
  cid_list: 'ocid_list',
  last_service_rotation: 'last_vault_rotation',
}

const neutralFieldOf = invert(vendorFields)
const vendorTypeOf = invert(typeAliases)

/** Vendor wordings of the field names in `vendorFields`, for messages that contain a field name. */
export const vendorFieldMessages: Wording = Object.fromEntries(
  Object.entries(vendorFields).map(([neutralName, vendorName]) => [
    `field-${neutralName}`,
    vendorName,
  ]),
)

/**
 * Converts the name of a field to a message parameter. If the vendor's name differs, the parameter
 * is itself a message.
 */
export function fieldNameParam(name: string): MessageParam {
  if (!Object.hasOwn(vendorFields, name)) return name
  return { rule: `field-${name}`, template: name, params: {} }
}

/** Returns the specification's name of a field, given its name in either dialect. */
export function neutralField(name: string): string {
  return neutralFieldOf.get(name) ?? name
}

/**
 * Returns a copy of an input whose fields have the specification's names. If a field was sent under
 * both names, the specification's name takes precedence.
 */
export function withNeutralFields(input: JsonObject): JsonObject {
  if (!Object.keys(input).some((name) => neutralFieldOf.has(name))) return input
  const renamed: JsonObject = {}
  for (const [name, value] of Object.entries(input)) {
    const neutral = neutralField(name)
    if (neutral === name || !Object.hasOwn(input, neutral)) setMember(renamed, neutral, value)
  }
  return renamed
}

/** Returns a copy of a payload whose top-level fields have the vendor's names. */
export function withVendorFields(
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const renamed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(payload)) {
    setMember(renamed, vendorField(name), value)
  }
  return renamed
}

/** Returns the vendor's name of a field; the given name if the names do not differ. */
export function vendorField(name: string): string {
  return Object.hasOwn(vendorFields, name) ? (vendorFields[name] ?? name) : name
}

/** Returns the vendor's name of a mount type; the given type if the names do not differ. */
export function vendorType(type: string): string {
  return vendorTypeOf.get(type) ?? type
}

function invert(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([neutral, vendor]) => [vendor, neutral]))
}
