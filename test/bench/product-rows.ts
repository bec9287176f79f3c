import { compareServers } from './compare-servers.ts'
import { bytesOf, type Request } from './connection.ts'
import type { BenchOptions } from './options.ts'
import { type ServerProcess, startCommand } from './process.ts'
import {
  binaryOf,
  managementToken,
  type Product,
  realServers,
  startReal,
} from './product-servers.ts'
import type { Row } from './report.ts'
import { type RealScenario, realScenarios } from './scenarios-products.ts'
import { ask, type MeasuredServer, measuredServer } from './servers.ts'

/** Returns a started server after storing the data that the scenario needs. */
async function prepareServer(
  server: ServerProcess,
  scenario: RealScenario,
): Promise<MeasuredServer> {
  const token = await scenario.before((request: Request) => ask(server.url, request))
  return measuredServer(server, scenario.requests(token).map(bytesOf))
}

/**
 * Starts the command in place of a product: with the vendor dialect, and the API on its own port.
 */
export function startMockOf(product: Product, acl: boolean): Promise<ServerProcess> {
  const { api } = realServers[product]
  const options = {
    scheduler: { aclEnabled: acl, initialManagementToken: managementToken },
  }
  const args = ['--dialect', 'vendor', `--${api}-port`, '0', '--options', JSON.stringify(options)]
  return startCommand('.', args, api)
}

/** Starts a product's development server. With ACLs on, sets its first token to a fixed value. */
async function startOriginal(binary: string, { product, acl = false }: RealScenario) {
  const server = await startReal(product, binary, acl)
  if (acl) {
    const body = JSON.stringify({ BootstrapSecret: managementToken })
    const headers = { 'content-type': 'application/json' }
    await ask(server.url, { method: 'POST', path: '/v1/acl/bootstrap', headers, body })
  }
  return server
}

/**
 * Yields the selected rows against real products. Products without a binary are reported on
 * standard error.
 */
export async function* realRows(options: BenchOptions): AsyncGenerator<Row> {
  for (const scenario of realScenarios) {
    if (!options.only.test(scenario.name)) continue
    const { name, product, acl = false, rate, bounds } = scenario
    const binary = binaryOf(product)
    if (binary === undefined) {
      process.stderr.write(`${name}: left out, ${realServers[product].variable} names no binary\n`)
      continue
    }
    const baseline = {
      label: "the original's development server",
      bounds,
      start: async () => prepareServer(await startOriginal(binary, scenario), scenario),
    }
    const start = async () => prepareServer(await startMockOf(product, acl), scenario)
    yield* await compareServers({ name, rate, start, baselines: [baseline] }, options)
  }
}
