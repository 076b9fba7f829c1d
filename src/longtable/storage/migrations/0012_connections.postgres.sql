-- The second wall, as for every table of a tenant.
ALTER TABLE connections ENABLE ROW LEVEL SECURITY;
ALTER TABLE connections FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON connections USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
