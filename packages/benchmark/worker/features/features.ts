import { type Caller, RpcObject, type RpcServerOptions, type RpcTarget } from '@lumenize/rpc/server';
import { tracing } from '../../src/features/tracing.ts';
import type { User } from '../../src/gateway/gateway.ts';
import {
  AllIncrements,
  ExactlyOnceIncrements,
  GuardedIncrements,
  Increments,
  ValidatedIncrements,
} from './increments.ts';

/** More than any block makes: what is measured is to look, and not to refuse. */
const RATE = { operationsPerSecond: 1_000_000, burst: 1_000_000 };

/** Nothing beside calling: also the rate of a connection, which is limited unless one says otherwise, is not. */
export class FeatureBase extends RpcObject<unknown, User | undefined> {
  override target(): RpcTarget {
    return new Increments(this.ctx.storage);
  }

  override rpcOptions(): RpcServerOptions {
    return { rateLimits: { connection: false } };
  }
}

export class FeatureAuthentication extends FeatureBase {
  override target(): RpcTarget {
    return new GuardedIncrements(this.ctx.storage);
  }
}

export class FeatureValidation extends FeatureBase {
  override target(): RpcTarget {
    return new ValidatedIncrements(this.ctx.storage);
  }
}

/** The limit of a connection that there is by default, and one for all of the same name. */
export class FeatureRateLimit extends FeatureBase {
  override rpcOptions(): RpcServerOptions {
    return limitedBy(({ identity }) => identity?.name ?? 'anybody');
  }
}

export class FeatureExactlyOnce extends FeatureBase {
  override target(): RpcTarget {
    return new ExactlyOnceIncrements(this.ctx.storage);
  }
}

export class FeatureTracing extends FeatureBase {
  override rpcOptions(): RpcServerOptions {
    return { ...super.rpcOptions(), observe: tracing() };
  }
}

export class FeatureAll extends FeatureRateLimit {
  override rpcOptions(): RpcServerOptions {
    return { ...super.rpcOptions(), observe: tracing() };
  }

  override target(): RpcTarget {
    return new AllIncrements(this.ctx.storage);
  }
}

function limitedBy(by: (caller: Caller<User | undefined>) => string): RpcServerOptions {
  return { rateLimits: { identity: { ...RATE, by } } };
}
