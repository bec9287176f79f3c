import { readFileSync } from 'node:fs'
import { runConsul, runNomad } from './consul-nomad.ts'
import { CommandFailure, type ProductCall } from './product-call.ts'
import { runVault } from './vault.ts'

const commands: Readonly<Record<string, (call: ProductCall) => Promise<string>>> = {
  vault: runVault,
  consul: runConsul,
  nomad: runNomad,
}

/** Output of a command: standard output if it succeeds, standard error if it fails. */
export type ProductCommandResult =
  | { readonly code: 0; readonly text: string }
  | { readonly code: number; readonly line: string }

/**
 * Runs a product's command for scripts that set a server up inside its container
 * (behaviour/program#drop-in): `vault kv put`, `consul acl bootstrap` and a few more.
 *
 * @param argv name of the product, followed by the command's arguments
 */
export async function runAs(
  argv: readonly string[],
  env: ProductCall['env'],
  stdin: () => string = () => readFileSync(0, 'utf8'),
): Promise<ProductCommandResult> {
  const [product = '', ...rest] = argv
  const command = Object.hasOwn(commands, product) ? commands[product] : undefined
  if (command === undefined) {
    return { code: 2, line: `as needs a product: ${Object.keys(commands).join(', ')}` }
  }
  try {
    return { code: 0, text: await command({ argv: rest, env, stdin }) }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { code: error.code, line: error.message }
  }
}
