import type { Json } from '../../kernel/json.ts'
import { parentModule, parseAddress } from './addresses.ts'

/**
 * Returns the source address of the provider of a resource type. The part of the type before the
 * first `_` names the provider. The provider `terraform` is built into the command-line tool.
 */
export function providerOf(type: string): string {
  const [word = ''] = type.split('_', 1)
  if (word === 'terraform') return 'terraform.io/builtin/terraform'
  return `registry.infra.example/hashicorp/${word}`
}

/**
 * Returns an object that maps each name to true. JSON output marks sensitive and unknown attributes
 * in this form.
 */
export function markNames(names: readonly string[] = []): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true]))
}

interface ResourceWithValues {
  readonly address: string
  readonly attributes: Readonly<Record<string, Json>>
  readonly provider?: string | undefined
  readonly sensitive?: readonly string[] | undefined
}

interface ValuedOutput {
  readonly value: Json
  readonly type: Json
  readonly sensitive: boolean
}

/**
 * Returns the members of a resource in JSON output that are derived from its address and provider.
 * If `provider` is undefined, the resource type determines the provider.
 */
export function resourceHead({
  address,
  provider,
}: Pick<ResourceWithValues, 'address' | 'provider'>) {
  const { mode, type, name, key } = parseAddress(address)
  return {
    address,
    mode,
    type,
    name,
    ...(key === undefined ? {} : { index: key }),
    provider_name: provider ?? providerOf(type),
  }
}

/** A module in the output of `terraform show -json`. */
interface StateModule {
  address?: string
  resources?: object[]
  child_modules?: StateModule[]
}

/** Returns outputs and modules with their resources, in the format of `terraform show -json`. */
export function stateValues(
  resources: readonly ResourceWithValues[],
  outputs: Readonly<Record<string, ValuedOutput>>,
) {
  const root: StateModule = {}
  const modules = new Map([['', root]])
  const moduleAt = (path: string): StateModule => {
    const existing = modules.get(path)
    if (existing !== undefined) return existing
    const created = { address: path }
    modules.set(path, created)
    const parent = moduleAt(parentModule(path))
    parent.child_modules = [...(parent.child_modules ?? []), created]
    return created
  }
  for (const resource of resources) {
    const module = moduleAt(parseAddress(resource.address).module)
    const rendered = {
      ...resourceHead(resource),
      schema_version: 0,
      values: resource.attributes,
      sensitive_values: markNames(resource.sensitive),
    }
    module.resources = [...(module.resources ?? []), rendered]
  }
  return {
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, { sensitive, type, value }]) => [
        name,
        { sensitive, type, value },
      ]),
    ),
    root_module: root,
  }
}

/** Formats a state like `terraform show -json` (behaviour/platform#run-state). */
export function jsonState(
  state: {
    readonly resources: readonly ResourceWithValues[]
    readonly outputs: Readonly<Record<string, ValuedOutput>>
  },
  version: string,
): string {
  const file = {
    format_version: '1.0',
    infra_version: version,
    values: stateValues(state.resources, state.outputs),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}
