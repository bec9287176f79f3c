import { type JsonObject, setMember } from '../../state/json/json.ts'
import { typeAliases } from '../../state/secrets/mounts/types.ts'

/** Field names that the vendor spells otherwise (1-secrets-decisions.md section 11). */
const vendorFields: Readonly<Record<string, string>> = {
  orch_host: 'kubernetes_host',
  orch_ca_cert: 'kubernetes_ca_cert',
  allowed_orch_namespaces: 'allowed_kubernetes_namespaces',
  allowed_orch_namespace_selector: 'allowed_kubernetes_namespace_selector',
  orch_role_name: 'kubernetes_role_name',
  orch_role_type: 'kubernetes_role_type',
  orch_namespace: 'kubernetes_namespace',
  cid_list: 'ocid_list',
}

const neutralFieldOf = inverse(vendorFields)
const vendorTypeOf = inverse(typeAliases)

/** Every field name that differs, for texts that name fields. */
export const vendorFieldNames: readonly (readonly [string, string])[] = Object.entries(vendorFields)

/** Every type of mount that is called otherwise, for texts that name types. */
export const vendorTypeNames: readonly (readonly [string, string])[] = [...vendorTypeOf]

/** What a caller sent, with the specification's field names whichever it used; those go first. */
export function withNeutralFields(input: JsonObject): JsonObject {
  if (!Object.keys(input).some((name) => neutralFieldOf.has(name))) return input
  const renamed: JsonObject = {}
  for (const [name, value] of Object.entries(input)) {
    const neutral = neutralFieldOf.get(name) ?? name
    if (neutral === name || !Object.hasOwn(input, neutral)) setMember(renamed, neutral, value)
  }
  return renamed
}

/** A payload with the vendor's field names. */
export function withVendorFields(
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const renamed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(payload)) {
    setMember(renamed, vendorField(name), value)
  }
  return renamed
}

/** A field name as the vendor spells it. */
export function vendorField(name: string): string {
  return Object.hasOwn(vendorFields, name) ? (vendorFields[name] ?? name) : name
}

/** A type of mount as the vendor calls it. */
export function vendorType(type: string): string {
  return vendorTypeOf.get(type) ?? type
}

function inverse(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([neutral, vendor]) => [vendor, neutral]))
}
