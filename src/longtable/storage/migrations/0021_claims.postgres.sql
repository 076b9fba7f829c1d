-- The second wall, as for every table of a tenant.
ALTER TABLE gateway_claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE gateway_claims FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON gateway_claims USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
