-- The second wall, as for every table of a tenant.
ALTER TABLE notifiers ENABLE ROW LEVEL SECURITY;
ALTER TABLE notifiers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON notifiers USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE notices ENABLE ROW LEVEL SECURITY;
ALTER TABLE notices FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON notices USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
