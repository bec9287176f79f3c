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

/** A started server with all in it that the scenario needs. */
async function prepareServer(
  server: ServerProcess,
  scenario: RealScenario,
): Promise<MeasuredServer> {
  const token = await scenario.before((request: Request) => ask(server.url, request))
  return measuredServer(server, scenario.requests(token).map(bytesOf))
}

/** The command as it plays a product: in its words, on a port of its own. */
export function startMockOf(product: Product, acl: boolean): Promise<ServerProcess> {
  const { api } = realServers[product]
  const options = {
    scheduler: { aclEnabled: acl, initialManagementToken: managementToken },
  }
  const args = ['--dialect', 'vendor', `--${api}-port`, '0', '--options', JSON.stringify(options)]
  return startCommand('.', args, api)
}

/** A product's development server; the first token of one with ACLs is what we say. */
async function startOriginal(binary: string, { product, acl = false }: RealScenario) {
  const server = await startReal(product, binary, acl)
  if (acl) {
    const body = JSON.stringify({ BootstrapSecret: managementToken })
    const headers = { 'content-type': 'application/json' }
    await ask(server.url, { method: 'POST', path: '/v1/acl/bootstrap', headers, body })
  }
  return server
}

/** The rows against real servers that were chosen; those without a binary are named on standard error. */
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
