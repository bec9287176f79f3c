/** A resource in a state file of a test, with an instance for each index. */
interface TestResource {
  readonly type: string
  readonly name: string
  readonly mode?: 'managed' | 'data'
  readonly module?: string
  readonly indexes?: readonly (string | number)[]
}

/** Members of a state file of a test. */
interface TestState {
  readonly serial?: number
  readonly lineage?: string
  readonly outputs?: object
  readonly resources?: readonly TestResource[]
}

/** Returns the text of a state file as the tool writes it. */
export function stateFile({
  serial = 1,
  lineage = 'lineage-1',
  outputs = {},
  resources = [],
}: TestState = {}): string {
  const file = {
    version: 4,
    terraform_version: '1.9.8',
    serial,
    lineage,
    outputs,
    resources: resources.map(({ mode = 'managed', type, name, module, indexes }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      type,
      name,
      provider: `provider["registry.terraform.io/hashicorp/${type.split('_')[0]}"]`,
      instances: (indexes ?? [undefined]).map((index_key) => ({
        index_key,
        schema_version: 0,
        attributes: { id: '1' },
      })),
    })),
    check_results: null,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}
