// A company's identity provider on loopback: signs whoever comes in as the account of the moment, and gives JWTs for the
// resource that a client names. The first argument is the folder of its packages; the address is printed.
// POST /control changes who comes and what is granted, and tells what was seen; POST /mint signs any claims with the
// provider's key.
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const load = createRequire(`${process.argv[2]}/`);
const { default: Provider } = await import(pathToFileURL(load.resolve("oidc-provider")).href);

const OURS = ["longtable:read", "longtable:work", "longtable:conduct"];
const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
const jwk = { ...key, kid: "main", alg: "RS256", use: "sig" };

// `tamper` are claims that replace those of every ID token, `extra` those of every access token.
const control = { deny: false, account: "ada", claims: {}, extra: {}, scopes: OURS, tamper: null, access: 3600 };
const seen = { authorizations: [], registrations: 0 };

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: "console",
        client_secret: "console-secret-that-is-long",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/login/oidc/callback", "http://localhost/login/oidc/callback"],
        grant_types: ["authorization_code"],
      },
      {
        client_id: "robot",
        client_secret: "robot-secret-that-is-long",
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
      },
    ],
    scopes: ["openid", "profile", "email", "offline_access", ...OURS],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...control.claims }) }),
    extraTokenClaims: () => control.extra,
    ttl: {
      AccessToken: () => control.access,
      ClientCredentials: () => control.access,
      AuthorizationCode: 60,
      IdToken: 3600,
      Grant: 3600,
      Interaction: 600,
      Session: 3600,
      RefreshToken: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: OURS.join(" "),
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ["one"] },
  });
  provider.use(async (ctx, next) => {
    if (ctx.path === "/control") return answer(ctx);
    if (ctx.path === "/mint") return mint(ctx, issuer);
    if (ctx.path.startsWith("/interaction/")) return interact(provider, ctx);
    if (ctx.path === "/auth") seen.authorizations.push(ctx.query);
    if (ctx.path === "/reg") {
      // Or a client could never ask for more than what it was told to begin with.
      const { scope, ...registered } = await read(ctx);
      ctx.req.body = registered;
      seen.registrations += 1;
    }
    await next();
    if (ctx.path === "/token" && ctx.body?.id_token && control.tamper) {
      const claims = JSON.parse(Buffer.from(ctx.body.id_token.split(".")[1], "base64url"));
      ctx.body = { ...ctx.body, id_token: signed({ ...claims, ...control.tamper }) };
    }
  });
  server.on("request", provider.callback());
  console.log(issuer);
});

async function read(ctx) {
  let text = "";
  for await (const chunk of ctx.req) text += chunk;
  return text ? JSON.parse(text) : {};
}

async function answer(ctx) {
  Object.assign(control, await read(ctx));
  ctx.body = seen;
}

async function mint(ctx, issuer) {
  const now = Math.floor(Date.now() / 1000);
  ctx.body = signed({ iss: issuer, iat: now, exp: now + 600, ...(await read(ctx)) });
}

function signed(claims) {
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const text = `${encode({ alg: "RS256", kid: "main" })}.${encode(claims)}`;
  const signature = sign("RSA-SHA256", Buffer.from(text), createPrivateKey({ key, format: "jwk" }));
  return `${text}.${signature.toString("base64url")}`;
}

async function interact(provider, ctx) {
  const { req, res } = ctx;
  ctx.respond = false;
  const { prompt, params, grantId } = await provider.interactionDetails(req, res);
  if (control.deny) {
    return provider.interactionFinished(req, res, { error: "access_denied" }, { mergeWithLastSubmission: false });
  }
  if (prompt.name === "login") {
    return provider.interactionFinished(req, res, { login: { accountId: control.account } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: control.account, clientId: params.client_id });
  grant.addOIDCScope(`openid profile email offline_access ${OURS.join(" ")}`);
  for (const scope of params.resource ? OURS : []) {
    if (control.scopes.includes(scope)) grant.addResourceScope(params.resource, scope);
    else grant.rejectResourceScope(params.resource, scope);
  }
  return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
}
