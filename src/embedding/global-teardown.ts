import { connect } from './client.ts'

/** Ends the server of `infra-understudy/global-setup`: for Jest, whose `globalTeardown` is a module. */
export default function tearDown(): Promise<void> {
  return connect().shutdown()
}
